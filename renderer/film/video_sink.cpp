#include "renderer/film/video_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr int kPollMilliseconds = 100;

const char* name_of(PixelFormat pixels) {
  switch (pixels) {
    case PixelFormat::kRgba:
      return "rgba";
    case PixelFormat::kRgb48Le:
      return "rgb48le";
    case PixelFormat::kRgba64Le:
      return "rgba64le";
    default:
      return "rgb24";
  }
}

bool has_alpha(PixelFormat pixels) {
  return pixels == PixelFormat::kRgba || pixels == PixelFormat::kRgba64Le;
}

bool is_even(const VideoSettings& video) {
  return video.width % 2 == 0 && video.height % 2 == 0;
}

/// Codec, its options and ffmpeg's name of the file's format. `yuv`: the pixels; empty for RGB.
struct Codec {
  std::vector<std::string> options;
  std::string yuv;
  std::vector<std::string> sound;
  std::string format;
};

Codec codec_of(VideoKind kind, const VideoSettings& video) {
  const bool alpha = has_alpha(video.pixels);
  switch (kind) {
    case VideoKind::kMp4: {
      Codec codec{{"-c:v", "libx264", "-crf", "15", "-movflags", "+faststart"},
                  is_even(video) ? "yuv420p" : "yuv444p",
                  {"-c:a", "aac", "-b:a", "192k"},
                  "mp4"};
      // x264 quantises the chroma of 4:4:4 more coarsely by 6, which moves flat colours.
      if (!is_even(video)) codec.options.insert(codec.options.end(), {"-chromaoffset", "-6"});
      return codec;
    }
    case VideoKind::kMov:
      return {{"-c:v", "prores_ks", "-profile:v", alpha ? "4444" : "hq", "-vendor", "apl0"},
              alpha ? "yuva444p10le" : "yuv422p10le",
              {"-c:a", "pcm_s24le"},
              "mov"};
    case VideoKind::kWebm: {
      Codec codec{
          {"-c:v", "libvpx-vp9", "-crf", "20", "-b:v", "0", "-row-mt", "1", "-cpu-used", "4"},
          alpha ? "yuva420p" : "yuv420p",
          {"-c:a", "libopus", "-b:a", "160k"},
          "webm"};
      if (alpha) codec.options.insert(codec.options.end(), {"-auto-alt-ref", "0"});
      return codec;
    }
    case VideoKind::kGif:
      return {{"-loop", "0"}, "", {}, "gif"};
    case VideoKind::kApng:
      break;
  }
  return {{"-c:v", "apng", "-plays", "0"}, "", {}, "apng"};
}

/// ffmpeg's own conversion would be BT.601.
std::string to_yuv(const std::string& pixels) {
  return fmt::format(
      "scale=out_color_matrix=bt709:out_range=tv:out_h_chr_pos=0:out_v_chr_pos=128:"
      "flags=bicubic+accurate_rnd+full_chroma_int,format={},"
      "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709",
      pixels);
}

/// A palette for each frame takes no memory for other frames, unlike one for all.
constexpr const char* kToPalette =
    "split[a][b];[a]palettegen=max_colors=200:stats_mode=single[p];[b][p]paletteuse=new=1";

/// Starts a program of PATH. `descriptors`: ours and the child's. Returns 0 or errno.
int spawn(std::vector<std::string> arguments, const std::array<std::pair<int, int>, 4>& descriptors,
          pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (const auto& [from, to] : descriptors) ::posix_spawn_file_actions_adddup2(&actions, from, to);
  // Signals to the process group, such as Ctrl-C, are for this process, which ends ffmpeg.
  sigset_t all{}, none{};
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int problem =
      ::posix_spawnp(&process, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return problem;
}

}  // namespace

std::optional<VideoKind> video_kind(const std::string& path) {
  static constexpr std::pair<const char*, VideoKind> kEndings[] = {{".mp4", VideoKind::kMp4},
                                                                   {".mov", VideoKind::kMov},
                                                                   {".webm", VideoKind::kWebm},
                                                                   {".gif", VideoKind::kGif},
                                                                   {".apng", VideoKind::kApng}};
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  for (const auto& [known, kind] : kEndings)
    if (ending == known) return kind;
  return std::nullopt;
}

PixelFormat video_pixels(const std::string& path, const ImageSettings& image) {
  const std::optional<VideoKind> kind = video_kind(path);
  if (image.alpha && (kind == VideoKind::kMp4 || kind == VideoKind::kGif)) {
    throw Error(ExitCode::kUsage,
                fmt::format("--output: {}: {} has no alpha; expected .mov, .webm or .apng, or a "
                            "scene without image.alpha",
                            path, kind == VideoKind::kMp4 ? "MP4" : "GIF"));
  }
  const bool is_deep = image.bits == 16 && (kind == VideoKind::kMov || kind == VideoKind::kApng);
  if (image.alpha) return is_deep ? PixelFormat::kRgba64Le : PixelFormat::kRgba;
  return is_deep ? PixelFormat::kRgb48Le : PixelFormat::kRgb24;
}

std::vector<std::string> ffmpeg_arguments(const VideoSettings& video) {
  const Codec codec = codec_of(*video_kind(video.path), video);
  // Without -xerror some versions end with 0 although they could not write the end of a file.
  std::vector<std::string> arguments = {"ffmpeg", "-nostdin", "-loglevel",
                                        "error",  "-xerror",  "-y"};
  const auto add = [&](std::vector<std::string> more) {
    std::move(more.begin(), more.end(), std::back_inserter(arguments));
  };
  add({"-f", "rawvideo", "-pixel_format", name_of(video.pixels), "-video_size",
       fmt::format("{}x{}", video.width, video.height), "-framerate",
       fmt::format("{}/{}", video.rate.frames, video.rate.seconds), "-i", "pipe:0"});
  if (!video.audio.empty()) {
    const double seconds = static_cast<double>(video.frames) *
                           static_cast<double>(video.rate.seconds) /
                           static_cast<double>(video.rate.frames);
    add({"-t", fmt::format("{:.6f}", seconds), "-i", "file:" + video.audio, "-map", "0:v:0", "-map",
         "1:a:0"});
    add(codec.sound);
  }
  add(codec.options);
  add({"-vf", !codec.yuv.empty()      ? to_yuv(codec.yuv)
              : codec.format == "gif" ? kToPalette
                                      : "null"});
  if (video.threads > 0) add({"-threads", std::to_string(video.threads)});
  if (!codec.yuv.empty() && !codec.yuv.starts_with("yuv444"))
    add({"-chroma_sample_location", "left"});
  add({"-f", codec.format, "file:/dev/fd/3"});
  return arguments;
}

VideoSink::VideoSink(VideoSettings video, std::function<bool()> goes_on)
    : video_(std::move(video)), goes_on_(std::move(goes_on)), file_(video_.path, video_.rule) {
  try {
    start();
  } catch (...) {
    for (const int descriptor : {pipe_, messages_})
      if (descriptor >= 0) ::close(descriptor);
    throw;
  }
}

void VideoSink::start() {
  std::array<int, 2> ends = {-1, -1};
  messages_ = ::memfd_create("ffmpeg", MFD_CLOEXEC);
  int problem = messages_ < 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0 ? errno : 0;
  pipe_ = ends[1];
  if (problem == 0) {
    ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
    problem = spawn(ffmpeg_arguments(video_),
                    {{{ends[0], STDIN_FILENO},
                      {messages_, STDOUT_FILENO},
                      {messages_, STDERR_FILENO},
                      {file_.descriptor(), 3}}},
                    process_);
    ::close(ends[0]);
  }
  if (problem == ENOENT) {
    throw Error(ExitCode::kUsage,
                fmt::format("--output: {}: no program ffmpeg on PATH, which makes videos; the "
                            "package is called ffmpeg, as in: apt install ffmpeg",
                            video_.path));
  }
  if (problem != 0)
    throw Error(ExitCode::kRuntimeFailure, fmt::format("{}: cannot start ffmpeg: {}", video_.path,
                                                       std::generic_category().message(problem)));
}

VideoSink::~VideoSink() {
  if (pipe_ >= 0) ::close(pipe_);
  kill_ffmpeg();
  ::close(messages_);
}

std::string VideoSink::name(std::int64_t frame) const {
  return fmt::format("frame {}", frame);
}

void VideoSink::write(std::int64_t /*frame*/, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (!goes_on_()) throw Error(ExitCode::kRuntimeFailure, "interrupted");
    pollfd waiting = {pipe_, POLLOUT, 0};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) continue;
    const ssize_t sent = ::write(pipe_, bytes.data(), bytes.size());
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      is_broken_ = true;
      throw Error(ExitCode::kRuntimeFailure, "ffmpeg has ended");
    }
  }
  ++written_;
}

void VideoSink::sync(const FrameList& frames) {
  if (process_ == 0) return;
  ::close(std::exchange(pipe_, -1));
  const bool is_whole = written_ == frames.size();
  if (!is_whole && !is_broken_) return kill_ffmpeg();
  const int status = wait_for_end();
  if (!goes_on_()) return;
  struct stat file {};
  ::fstat(file_.descriptor(), &file);
  std::string problem;
  if (WIFSIGNALED(status))
    problem = ::strsignal(WTERMSIG(status));
  else if (status != 0)
    problem = fmt::format("exit status {}", WEXITSTATUS(status));
  else if (!is_whole)
    problem = "before the last frame";
  else if (S_ISREG(file.st_mode) && file.st_size == 0)
    problem = "without a video";
  if (!problem.empty())
    throw Error(ExitCode::kRuntimeFailure,
                Lines(fmt::format("{}: ffmpeg ended: {}", video_.path, problem)) + messages());
  file_.commit();
  file_bytes_ = static_cast<std::uint64_t>(file.st_size);
  is_done_ = true;
}

std::string VideoSink::warning() const {
  if (video_kind(video_.path) != VideoKind::kMp4 || is_even(video_)) return "";
  return fmt::format(
      "{}: {}x{} is odd, so its colours are 4:4:4, which few players show; even "
      "sizes are 4:2:0",
      video_.path, video_.width, video_.height);
}

Lines VideoSink::messages() const {
  constexpr std::size_t kMaxBytes = 8192, kMaxLines = 10;
  struct stat status {};
  ::fstat(messages_, &status);
  std::string text(std::min<std::size_t>(kMaxBytes, static_cast<std::size_t>(status.st_size)), ' ');
  const ssize_t got = ::pread(messages_, text.data(), text.size(),
                              status.st_size - static_cast<off_t>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    if (end > at) lines.push_back("ffmpeg: " + text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.size() > kMaxLines)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMaxLines));
  return lines;
}

int VideoSink::wait_for_end() {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) break;
    if (!goes_on_()) {
      kill_ffmpeg();
      return 0;
    }
    ::poll(nullptr, 0, 5);
  }
  process_ = 0;
  return status;
}

void VideoSink::kill_ffmpeg() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
}

}  // namespace roundel
