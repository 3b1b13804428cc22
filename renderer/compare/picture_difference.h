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

/// Pixels about which nothing is to be said, from a picture of them.
struct Mask {
  std::string path;
  PixelSet pixels;
};

/// What may differ before two pictures count as different; by default nothing.
struct Tolerance {
  double max_delta = 0;  ///< a channel's |a − b| up to which a pixel counts as the same: levels of
                         ///< 0..255 in PNG, values in EXR and PFM
  /// Differing pixels allowed. Without it none, or any number where one of the other two limits is
  /// there.
  std::optional<double> max_pixels = {};
  bool pixels_in_percent = false;  ///< max_pixels is a share of the picture
  struct Density {
    std::uint64_t pixels = 0;
    int width = 0, height = 0;
  };
  std::optional<Density> max_density = {};  ///< at most so many of them in any window of that size
  std::optional<double> flip_mean = {};     ///< largest mean of ꟻLIP
  std::vector<PixelBox> ignore = {};        ///< pixels that may differ, and count for nothing
  std::shared_ptr<const Mask> mask = {};    ///< the same
  bool is_shape_tolerant = false;           ///< make_alike() comes before the comparison
  bool ignores_antialiasing = false;        ///< pixels for which is_antialiased() are not over
};

/// Which measures are wanted beyond those that cost next to nothing.
struct Measures {
  bool flip = false;
  bool ssim = false;
  double pixels_per_degree = kDefaultPixelsPerDegree;  ///< of ꟻLIP
};

/// How picture `b` differs from picture `a`. docs/compare.md has the definitions.
struct PictureDifference {
  enum class Kind { kEqualBytes, kEqualPixels, kDifferent, kOtherShape };
  struct Channel {
    std::string name;              ///< "red", "green", "blue", "alpha", "grey"
    double largest = 0, mean = 0;  ///< of |a − b|, in the unit of Tolerance::max_delta
  };
  using Flip = FlipStatistics;

  Kind kind = Kind::kEqualBytes;
  std::string shape;          ///< of kOtherShape: "96x96 RGB and 96x95 RGB"; the rest is then empty
  bool can_be_alike = false;  ///< of kOtherShape: make_alike() would give both one shape
  int width = 0, height = 0;  ///< 0 for kEqualBytes, which are not decoded
  std::vector<Channel> channels;
  double rmse = 0;               ///< of all channels, in [0, 1] for PNG
  double psnr = 0;               ///< dB; infinite where nothing differs
  std::uint64_t pixels = 0;      ///< with a channel that differs at all
  std::uint64_t not_finite = 0;  ///< of them, with NaN or infinity on one side only; such values
                                 ///< are over every limit, and left out of all the other numbers
  std::uint64_t ignored = 0;     ///< by boxes and mask: the same, for all other numbers
  std::uint64_t ignored_different = 0;  ///< of those
  std::uint64_t antialiased = 0;        ///< over max_delta, but not counted as that
  std::uint64_t pixels_over = 0;        ///< with a channel over max_delta; the rest tells of these
  PixelBox box;                         ///< the smallest that holds them
  PixelBox densest;                  ///< a window (16x16, or that of max_density) with most of them
  std::uint64_t densest_pixels = 0;  ///< how many it holds
  std::optional<Flip> flip;
  std::optional<double> ssim;  ///< missing for pictures below 11x11 too
};

/// The verdict on a comparison, with every limit that was passed in words.
struct Verdict {
  bool same = true;
  std::vector<std::string> reasons;  ///< "12 pixels differ, at most 0 may"
};

/// Compares on all cores; the same numbers whatever the machine. Throws Error(kInvalidScene) where
/// a measure is asked for that the pictures' colour space does not allow, and for pictures of one
/// shape that are shown differently (ExrDisplay).
PictureDifference compare_pictures(const Picture& a, const Picture& b, const Tolerance& tolerance,
                                   const Measures& measures);
/// `tolerance` must be that of the comparison.
Verdict judge(const PictureDifference& difference, const Tolerance& tolerance);

/// Two files compared, and their pictures where they had to be decoded.
struct ComparedFiles {
  MemoryBudget::Share memory;  ///< that of the pictures
  PictureDifference difference;
  std::optional<Picture> a, b;
};

/// Files with equal bytes are not decoded, but must have a sound header and be of a kind that could
/// be compared: read_picture_header(). Other files are decoded at once, with memory from `budget`
/// where there is one. Throws an Error with the problems of both files.
ComparedFiles compare_files(const std::string& path_a, const std::string& path_b,
                            const Tolerance& tolerance, const Measures& measures,
                            MemoryBudget* budget = nullptr);

}  // namespace roundel
