#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace roundel {

/// Range of frame numbers. Before frame 0, simulated layers stay as in frame 0, so a film may start
/// with stills of them.
inline constexpr std::int64_t kMinFrame = -10'000'000, kMaxFrame = 10'000'000;

/// Frame numbers, ascending and unique.
using FrameList = std::vector<std::int64_t>;

/// Returns `count` consecutive frames from `first` on.
FrameList run_of_frames(std::int64_t first, std::int64_t count);

/// Returns the frames of `all` that are not in `excluded`.
FrameList frames_without(const FrameList& all, const FrameList& excluded);

/// Returns the shortest usual spelling, "1-10,15,20-30x2"; empty for no frames.
std::string frames_text(const FrameList& frames);

/// Distance from each frame to the next; 1 if it varies.
std::int64_t step_of(const FrameList& frames);

/// Names of the frames' files, from a pattern that has the frame number as ####, %04d or {frame:04}
/// (%d and {frame}: without leading zeros), once or more. The width counts a leading minus and is a
/// minimum. All other text is literal.
class FrameName {
 public:
  explicit FrameName(const std::string& pattern);
  /// One literal name for all frames.
  static FrameName literal(const std::string& path);
  /// Names of the frames from 0 on, all different.
  static FrameName listed(std::vector<std::string> paths);

  /// False if all frames have the same name.
  bool has_number() const { return !numbers_.empty() || listed_; }
  /// True if frames lie in different folders.
  bool has_number_in_folder() const;
  std::string path(std::int64_t frame) const;
  /// Returns the frame with this path, for numbered and listed names.
  std::optional<std::int64_t> frame_of(std::string_view path) const;
  /// Makes names count these frames from 0 instead of using their numbers.
  void renumber(FrameList frames);

 private:
  struct Number {
    std::string before;  ///< text since the previous number
    std::size_t width;   ///< minimum width
  };
  struct Listed {
    std::vector<std::string> paths;
    std::unordered_map<std::string_view, std::int64_t> frames;
    bool has_folders = false;  ///< lie in several folders
  };
  std::vector<Number> numbers_;
  std::string tail_;
  std::shared_ptr<const Listed> listed_;      ///< instead of numbers and tail
  std::shared_ptr<const FrameList> counted_;  ///< null: names have the frames' own numbers
};

}  // namespace roundel
