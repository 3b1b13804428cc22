#pragma once
/// Comparison of pictures: how they differ, and whether that is within limits. docs/compare.md has
/// the definitions.
#include <roundel/error.h>
#include <roundel/picture.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace roundel {
inline namespace v0 {

/// Limits of differences, 0 by default, and the measures to take.
struct CompareOptions {
  /// Largest difference of a channel with which a pixel counts as equal, >= 0: levels of 0 to 255,
  /// also for 16 bits; values of floats.
  double max_delta = 0;
  /// Limits on the pixels that differ by more: `max_pixels` or `max_percent`. Without them the
  /// limit is 0, but with `max_flip_mean` there is no limit.
  std::optional<double> max_pixels = {};     ///< >= 0
  std::optional<double> max_percent = {};    ///< 0 to 100, of the picture's pixels
  std::optional<double> max_flip_mean = {};  ///< 0 to 1, for the mean of ꟻLIP
  std::vector<Box> ignore = {};              ///< pixels that may differ and are not counted
  bool ignore_antialiasing = false;          ///< smoothed pixels of edges may differ
  bool flip = false;                         ///< measure ꟻLIP, the difference that people see
  bool ssim = false;                         ///< measure the structural similarity
  /// Find a shift of at most 16 pixels that explains the difference, for reasons() and json();
  /// pictures with such a shift still differ.
  bool align = false;
  /// Pixels per degree of the viewer's field, for ꟻLIP: 1 to 1000; the default is 67.02.
  std::optional<double> pixels_per_degree = {};
};

/// How picture B differs from picture A.
class Comparison {
 public:
  /// Returns true if everything is within the limits.
  bool same() const;
  /// Sentences about the exceeded limits, or about different sizes, channels and types.
  const std::vector<std::string>& reasons() const;
  /// Number of pixels that differ by more than `max_delta`.
  std::uint64_t pixels() const;
  /// Largest difference of a channel, in the unit of `max_delta`. This and the next two are NaN if
  /// the pictures differ in size, channels or type.
  double largest() const;
  double rmse() const;                      ///< over all channels; 0 to 1 except for floats
  double psnr() const;                      ///< dB; infinite for equal pictures
  std::optional<double> flip_mean() const;  ///< 0 to 1, if it was measured
  std::optional<double> ssim() const;       ///< 1 for equal pictures, if it was measured
  /// All measures, as `roundel diff --json` prints them.
  std::string json() const;

 private:
  friend struct Access;
  struct State;
  explicit Comparison(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// Compares two pictures. Throws UsageError for a wrong option, SceneError for a measure that is
/// undefined for the pictures.
Comparison compare(const Picture& a, const Picture& b, const CompareOptions& options = {});

/// Compares two files; those with equal bytes are not decoded. Throws what compare() and
/// Picture::from_file() throw.
Comparison compare_files(const std::string& a, const std::string& b,
                         const CompareOptions& options = {});

}  // namespace v0
}  // namespace roundel
