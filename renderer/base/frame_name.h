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

/// Range of frame numbers. Before frame 0 simulated layers stand as in frame 0: a film may start
/// with stills of them.
inline constexpr std::int64_t kMinFrame = -10'000'000, kMaxFrame = 10'000'000;

/// Frame numbers in rising order, each once.
using FrameList = std::vector<std::int64_t>;

/// So many, one after the other.
FrameList run_of_frames(std::int64_t first, std::int64_t count);

/// Returns the frames of `all` that are not in `some`.
FrameList frames_without(const FrameList& all, const FrameList& some);

/// The shortest usual spelling: "1-10,15,20-30x2". Empty for no frames. `frames` rise.
std::string frames_text(const FrameList& frames);

/// From each frame to the next; 1 where that is not the same for all.
std::int64_t step_of(const FrameList& frames);

/// The name of every frame's file, from a pattern in which the frame number stands as ####, %04d
/// or {frame:04} (%d and {frame} without leading zeros). A number takes at least so many
/// characters, a leading minus counted; it may occur more than once. All else stands for itself.
class FrameName {
 public:
  explicit FrameName(const std::string& pattern);
  /// One name for every frame, in which nothing stands for a number.
  static FrameName literal(const std::string& path);
  /// Frames from 0 on have these names, no two of them the same.
  static FrameName listed(std::vector<std::string> paths);

  /// False where every frame would have the same name.
  bool has_number() const { return !numbers_.empty() || listed_; }
  /// True where frames have folders of their own.
  bool has_number_in_folder() const;
  std::string path(std::int64_t frame) const;
  /// The frame that has this path, for names with a number and listed ones.
  std::optional<std::int64_t> frame_of(std::string_view path) const;
  /// From now on names count these frames from 0, whatever their numbers are.
  void renumber(FrameList frames);

 private:
  struct Number {
    std::string before;  ///< what stands between the number before and this one
    std::size_t width;   ///< characters at least
  };
  struct Listed {
    std::vector<std::string> paths;
    std::unordered_map<std::string_view, std::int64_t> frames;
    bool has_folders = false;  ///< several
  };
  std::vector<Number> numbers_;
  std::string tail_;
  std::shared_ptr<const Listed> listed_;      ///< instead of numbers and tail
  std::shared_ptr<const FrameList> counted_;  ///< null: names have the frames' own numbers
};

}  // namespace roundel
