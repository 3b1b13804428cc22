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

/// Range of frame numbers. Before 0, simulated layers stay as in frame 0: for stills at a film's
/// start.
inline constexpr std::int64_t kMinFrame = -10'000'000, kMaxFrame = 10'000'000;

/// Ascending and unique.
using FrameList = std::vector<std::int64_t>;

FrameList run_of_frames(std::int64_t first, std::int64_t count);

FrameList frames_without(const FrameList& all, const FrameList& excluded);

/// "1-10,15,20-30x2", the shortest usual spelling.
std::string frames_text(const FrameList& frames);

/// Distance between frames; 1 if it varies.
std::int64_t step_of(const FrameList& frames);

/// Names of frame files, from a pattern with the frame number as ####, %04d or {frame:04} (%d and
/// {frame}: without leading zeros), once or more. The minimum width includes a minus. Other text is
/// literal.
class FrameName {
 public:
  explicit FrameName(const std::string& pattern);
  /// One literal name for all frames.
  static FrameName literal(const std::string& path);
  /// Unique names of the frames from 0 on.
  static FrameName listed(std::vector<std::string> paths);

  bool has_number() const { return !numbers_.empty() || listed_; }
  bool has_number_in_folder() const;
  std::string path(std::int64_t frame) const;
  std::optional<std::int64_t> frame_of(std::string_view path) const;
  /// Numbers these frames from 0 in their names.
  void renumber(FrameList frames);

 private:
  struct Number {
    std::string before;  ///< text since the previous number
    std::size_t width;   ///< minimum width
  };
  struct Listed {
    std::vector<std::string> paths;
    std::unordered_map<std::string_view, std::int64_t> frames;
    bool has_folders = false;  ///< several
  };
  std::vector<Number> numbers_;
  std::string tail_;
  std::shared_ptr<const Listed> listed_;      ///< replaces numbers and tail
  std::shared_ptr<const FrameList> counted_;  ///< null: names use frame numbers
};

}  // namespace roundel
