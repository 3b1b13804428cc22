#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/flip.h"
#include "renderer/compare/memory_budget.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/pixel_set.h"

namespace roundel {

/// Ignored pixels, from a picture.
struct Mask {
  std::string path;
  PixelSet pixels;
};

/// Allowed differences of two pictures; none by default.
struct Tolerance {
  double max_delta = 0;  ///< largest |a − b| of a channel that counts as equal: levels of 0..255 in
                         ///< PNG, values in EXR and PFM
  /// Allowed differing pixels. By default none, or any if max_density or flip_mean is set.
  struct ChannelDelta {
    std::string pattern;  ///< as in glob_matches(), of "Z" or "PART/Z"
    double max_delta = 0;
  };
  /// For channels of EXR and PFM instead of max_delta; the first that fits counts.
  std::vector<ChannelDelta> channel_deltas = {};
  std::optional<double> max_pixels = {};
  bool pixels_in_percent = false;  ///< max_pixels is a percentage
  struct Density {
    std::uint64_t pixels = 0;
    int width = 0, height = 0;
  };
  std::optional<Density> max_density = {};  ///< for each window of that size
  std::optional<double> flip_mean = {};     ///< limit of ꟻLIP's mean
  std::vector<PixelBox> ignore = {};        ///< pixels that are not compared
  std::shared_ptr<const Mask> mask = {};    ///< more of these
  bool is_shape_tolerant = false;           ///< call unify_shapes() first
  bool ignores_antialiasing = false;        ///< pixels with is_antialiased() are not over
};

/// Optional measures.
struct Measures {
  bool flip = false;
  bool ssim = false;
  double pixels_per_degree = kDefaultPixelsPerDegree;  ///< for ꟻLIP
  bool shift = false;                                  ///< find_shift(), if pixels differ
  bool places = false;                                 ///< for PairResult::places
};

/// From `a` to `b`. docs/compare.md has the definitions.
struct PictureDifference {
  enum class Kind { kEqualBytes, kEqualPixels, kDifferent, kOtherShape };
  struct Channel {
    std::string name;  ///< "red", "green", "blue", "alpha", "grey"; of EXR levels "Z", "PART/Z"
    double largest = 0, mean = 0;  ///< |a − b| in the unit of Tolerance::max_delta
    // Only of EXR levels.
    std::uint64_t pixels = 0;      ///< with a difference in this channel
    int x = 0, y = 0;              ///< the pixel with the largest difference, if there is any
    int level_x = 0, level_y = 0;  ///< its level
  };
  using Flip = FlipStatistics;
  struct Overlap {
    int width = 0, height = 0;
    std::uint64_t pixels_over = 0;  ///< in it
  };
  struct Shift {
    int x = 0, y = 0;               ///< from a pixel of `a` to its partner in `b`; right and down
    std::uint64_t pixels_over = 0;  ///< differing from their partners
    std::uint64_t edge = 0;         ///< pixels of `a` without a partner
  };

  /// For Tolerance::channel_deltas of floats.
  struct ChannelNames {
    std::vector<std::string> unfit;  ///< patterns that fit no channel
    std::string text;                ///< the channels: "R, G, B", at most eight
  };

  Kind kind = Kind::kEqualBytes;
  std::string shape;              ///< for kOtherShape: "96x96 RGB and 96x95 RGB", and texts of
                                  ///< other_structure()
  bool can_unify_shapes = false;  ///< for kOtherShape: unify_shapes() would help
  /// For kOtherShape if only the size differs: what both pictures have, upper left corners aligned.
  std::optional<Overlap> overlap;
  int width = 0, height = 0;     ///< 0 for kEqualBytes, which are not decoded
  std::uint64_t all_pixels = 0;  ///< pixels of an EXR's parts and levels; 0 if it has one
  std::vector<Channel> channels;
  ChannelNames names;
  double rmse = 0;                      ///< all channels, in [0, 1] for PNG
  double psnr = 0;                      ///< dB; infinite if the pictures are equal
  std::uint64_t pixels = 0;             ///< with any difference
  std::uint64_t not_finite = 0;         ///< pixels with NaN or infinity on one side only: such
                                        ///< values exceed every limit; other numbers exclude them
  std::uint64_t ignored = 0;            ///< by boxes and mask; count as equal in all other fields
  std::uint64_t ignored_different = 0;  ///< among the ignored pixels
  std::uint64_t antialiased = 0;        ///< over max_delta, but on antialiased edges
  std::uint64_t pixels_over = 0;        ///< with a channel over max_delta
  PixelBox box;                         ///< smallest box around these
  PixelBox densest;                     ///< window (16x16, or of max_density) with most of these
  std::uint64_t densest_pixels = 0;
  std::optional<Flip> flip;
  std::optional<double> ssim;  ///< missing also below 11x11 pixels
  std::optional<Shift> shift;  ///< missing if no shift explains the difference

  std::uint64_t compared_pixels() const {
    return all_pixels > 0 ? all_pixels : pixel_count(width, height);
  }
};

/// True if the pictures have a difference_image().
inline bool has_difference_image(const PictureDifference& difference) {
  return difference.kind == PictureDifference::Kind::kDifferent || difference.overlap;
}

struct Verdict {
  bool same = true;
  /// "12 pixels differ, at most 0 may"; also the shift that explains the difference
  std::vector<std::string> reasons;
};

/// The numbers do not depend on the machine. Throws Error(kInvalidScene) if a measure does not
/// support the pictures' colour space, or a limit the channels of an EXR.
PictureDifference compare_pictures(const Picture& a, const Picture& b, const Tolerance& tolerance,
                                   const Measures& measures);
/// `tolerance` must be that of the comparison.
Verdict apply_tolerance(const PictureDifference& difference, const Tolerance& tolerance);

/// The pictures are there if they were decoded.
struct ComparedFiles {
  MemoryBudget::Share memory;
  PictureDifference difference;
  std::optional<Picture> a, b;
};

/// Files with equal bytes are not decoded, but need a sound header and a supported kind:
/// read_picture_header(). Others are decoded in parallel, with memory from `budget`. Throws an
/// Error with the problems of both files.
ComparedFiles compare_files(const std::string& path_a, const std::string& path_b,
                            const Tolerance& tolerance, const Measures& measures,
                            MemoryBudget* budget = nullptr);

}  // namespace roundel
