#include "renderer/sequence/frame_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

[[noreturn]] void refuse_list(std::string_view expected, std::string_view got) {
  throw Error(ExitCode::kUsage, fmt::format("expected {}, got {}", expected, roundel::quoted(got)));
}

/// Reads one item of a list from its front to its end.
class ItemReader {
 public:
  explicit ItemReader(std::string_view item) : item_(item), rest_(item) {}

  void add_to(FrameList& frames) {
    const std::int64_t first = take_number();
    std::int64_t last = first, step = 1;
    if (take('-')) {
      last = take_number();
      if (last < first) refuse_list("a range that rises", item_);
      if (take('x') || take(':')) step = take_number();
      if (step < 1) refuse_list("a step of at least 1", item_);
    }
    skip_spaces();
    if (!rest_.empty()) refuse_list("frames like 1-10,15,20-30x2", item_);
    const auto count = static_cast<std::uint64_t>((last - first) / step + 1);
    if (count > kMaxFrames - frames.size()) {
      refuse_list(fmt::format("at most {} frames", kMaxFrames), item_);
    }
    for (std::int64_t frame = first; frame <= last; frame += step) frames.push_back(frame);
  }

 private:
  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
  }
  bool take(char wanted) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int64_t take_number() {
    skip_spaces();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc::invalid_argument) refuse_list("frames like 1-10,15,20-30x2", item_);
    if (error != std::errc() || number < kMinFrame || number > kMaxFrame) {
      refuse_list(fmt::format("frames from {} to {}", kMinFrame, kMaxFrame), item_);
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  std::string_view item_, rest_;
};

std::string read_list_file(const std::string& path) {
  try {
    const InputFile file(path);
    if (file.size() > kMaxFileBytes) refuse_list("a list of frames of at most 64 MiB", path);
    return file.read(kMaxFileBytes);
  } catch (const Error& error) {  // a wrong option, not a wrong scene
    throw Error(ExitCode::kUsage, fmt::format("expected a file with frames: {}", error.what()));
  }
}

/// A list file as one line: comments go, line ends become commas. Empty items may come of it.
std::string joined_lines(std::string_view text) {
  std::string line;
  bool in_comment = false;
  for (const char c : text) {
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (!in_comment) line += c == '\n' ? ',' : c;
  }
  return line;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// How many frames from `begin` on lie at the same distance from one to the next.
std::size_t run_length(const FrameList& frames, std::size_t begin) {
  if (begin + 1 >= frames.size()) return 1;
  const std::int64_t step = frames[begin + 1] - frames[begin];
  std::size_t end = begin + 2;
  while (end < frames.size() && frames[end] - frames[end - 1] == step) ++end;
  return end - begin;
}

}  // namespace

FrameList parse_frames(const std::string& text) {
  const bool is_file = text.starts_with('@');
  const std::string list = is_file ? joined_lines(read_list_file(text.substr(1))) : text;
  FrameList frames;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string_view item = std::string_view(list).substr(begin, comma - begin);
    if (!(is_file && is_blank(item))) ItemReader(item).add_to(frames);
    begin = comma + 1;
  }
  if (frames.empty()) refuse_list("at least one frame", text);
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

std::string frames_text(const FrameList& frames) {
  std::string text;
  for (std::size_t i = 0; i < frames.size();) {
    std::size_t length = run_length(frames, i);
    const std::int64_t step = length > 1 ? frames[i + 1] - frames[i] : 1;
    // Two frames apart are no range, and the second may begin a better one.
    if (length == 2 && step > 1) length = 1;
    if (!text.empty()) text += ',';
    text += std::to_string(frames[i]);
    if (length > 1) text += '-' + std::to_string(frames[i + length - 1]);
    if (length > 1 && step > 1) text += 'x' + std::to_string(step);
    i += length;
  }
  return text;
}

}  // namespace roundel
