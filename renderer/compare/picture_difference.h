#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/picture.h"

namespace roundel {

/// Pixels x..x+width−1 of rows y..y+height−1, rows counted from the top.
struct PixelBox {
  int x = 0, y = 0, width = 0, height = 0;
};

/// What may differ before two pictures count as different; by default nothing.
struct Tolerance {
  double max_delta = 0;  ///< a channel's |a − b| up to which a pixel counts as the same: levels of
                         ///< 0..255 in bytes, values in floats
  double max_pixels = 0;           ///< differing pixels allowed
  bool pixels_in_percent = false;  ///< … as a share of the picture
  struct Density {
    std::uint64_t pixels = 0;
    int width = 0, height = 0;
  };
  std::optional<Density> max_density;  ///< at most so many of them in any window of that size
  std::optional<double> flip_mean;  ///< largest mean of ꟻLIP; then differing pixels do not count
                                    ///< unless max_pixels was given as well
};

/// Which measures are wanted beyond those that cost next to nothing.
struct Measures {
  bool flip = false;
  bool ssim = false;
};

/// How picture `b` differs from picture `a`.
struct PictureDifference {
  enum class Kind { kEqualBytes, kEqualPixels, kDifferent, kOtherShape };
  struct Channel {
    std::string name;              ///< "red", "green", "blue", "alpha", "grey"
    double largest = 0, mean = 0;  ///< of |a − b|, in the unit of Tolerance::max_delta
  };
  struct Flip {
    double mean = 0, weighted_median = 0, min = 0, max = 0;
  };

  Kind kind = Kind::kEqualBytes;
  std::string shape;  ///< of kOtherShape: "96x96 RGB and 96x95 RGB"; the rest is then empty
  int width = 0, height = 0;
  std::vector<Channel> channels;
  double rmse = 0;                   ///< of all channels, in [0, 1] for bytes
  double psnr = 0;                   ///< dB; infinite where nothing differs
  std::uint64_t pixels = 0;          ///< with a channel that differs at all
  std::uint64_t pixels_over = 0;     ///< with a channel over max_delta; the rest tells of these
  PixelBox box;                      ///< the smallest that holds them
  PixelBox densest;                  ///< a window (16x16, or that of max_density) with most of them
  std::uint64_t densest_pixels = 0;  ///< how many it holds
  std::optional<Flip> flip;
  std::optional<double> ssim;
};

/// The verdict on a comparison, with every limit that was passed in words.
struct Verdict {
  bool same = true;
  std::vector<std::string> reasons;  ///< "12 pixels differ, at most 0 may"
};

PictureDifference compare_pictures(const Picture& a, const Picture& b, const Tolerance& tolerance,
                                   const Measures& measures);
Verdict judge(const PictureDifference& difference, const Tolerance& tolerance);

}  // namespace roundel
