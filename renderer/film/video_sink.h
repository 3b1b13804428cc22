#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/atomic_file.h"
#include "renderer/film/frame_sink.h"
#include "renderer/frame_encoder.h"
#include "renderer/image/y4m.h"

namespace roundel {

/// Files that the program ffmpeg makes of a film.
enum class VideoKind { kMp4, kMov, kWebm, kGif, kApng };

/// Kind of the path's extension, upper or lower case.
std::optional<VideoKind> video_kind(const std::string& path);
constexpr bool has_sound(VideoKind kind) {
  return kind <= VideoKind::kWebm;
}
/// Returns the pixels that ffmpeg gets: with alpha if the scene has it, of 16 bits if the file
/// keeps more than 8. Throws Error(kUsage) if the file cannot store alpha.
PixelFormat video_pixels(const std::string& path, const ImageSettings& image);

struct VideoSettings {
  std::string path;
  OverwriteRule rule = OverwriteRule::kRefuse;
  int width, height;
  PixelFormat pixels;  ///< format of the sent frames
  FrameRate rate;
  std::size_t frames;
  std::string audio;  ///< file; may be empty
  int threads = 0;    ///< 0: ffmpeg's default
};
/// Returns the arguments with which ffmpeg reads the frames from standard input and writes them to
/// descriptor 3. All YUV is BT.709 in limited range, with tags.
std::vector<std::string> ffmpeg_arguments(const VideoSettings& video);

/// Sends frames to ffmpeg, which writes a temporary file.
class VideoSink final : public FrameSink {
 public:
  /// Throws Error(kUsage) if there is no ffmpeg, and what AtomicFile throws. Waiting for ffmpeg
  /// ends once `goes_on` returns false.
  VideoSink(VideoSettings video, std::function<bool()> goes_on);
  ~VideoSink() override;

  bool in_order() const override { return true; }
  std::string name(std::int64_t frame) const override;
  void write(std::int64_t frame, std::span<const std::uint8_t> bytes) override;
  /// Waits until ffmpeg has ended and gives the video its name, if all frames were written; else
  /// the video is not made. Throws Error(kRuntimeFailure) with ffmpeg's last messages if it failed.
  void sync(const FrameList& frames) override;

  const std::string& path() const { return video_.path; }
  bool is_done() const { return is_done_; }
  /// Size of the finished video; 0 if it went into a pipe.
  std::uint64_t file_bytes() const { return file_bytes_; }
  /// Returns a warning about a video that few players show; mostly empty.
  std::string warning() const;
  /// Returns the last lines that ffmpeg has printed.
  Lines messages() const;

 private:
  void start();
  /// Kills ffmpeg if `goes_on` ends. Returns its status.
  int wait_for_end();
  void kill_ffmpeg();

  VideoSettings video_;
  std::function<bool()> goes_on_;
  AtomicFile file_;
  std::size_t written_ = 0;  ///< frames
  bool is_broken_ = false;   ///< ffmpeg reads no more
  bool is_done_ = false;
  std::uint64_t file_bytes_ = 0;
  int pipe_ = -1, messages_ = -1;  ///< ffmpeg's standard input, and a file for all that it prints
  pid_t process_ = 0;
};

}  // namespace roundel
