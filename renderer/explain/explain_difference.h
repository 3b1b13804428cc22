#pragma once
#include <cstdint>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/explain/layer_places.h"
#include "renderer/explain/match_circles.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// A frame to explain: its circles in frame space, and the result of drawing them.
struct DrawnFrame {
  const Circles& circles;
  const ImageSettings& image;
  const LayerPlaces& places;
  const Framebuffer& framebuffer;
};

/// A circle that is responsible for a difference.
struct ResponsibleCircle {
  CircleChange change;
  double share;          ///< share of the difference, in (0, 1]; sums to 1 with the background's
  std::uint64_t pixels;  ///< examined pixels that it changes
};

/// Why two frames of one size differ in a cluster of pixels. Rows count from the **bottom**.
struct ClusterExplanation {
  std::uint64_t pixels = 0;
  PixelRect box{0, 0, -1, -1};  ///< around the cluster
  int x = 0, row = 0;           ///< the pixel that differs most, summed over channels
  double largest = 0;           ///< largest difference of a channel, in the blend space
  double mean = 0;              ///< mean over the cluster
  std::uint64_t examined = 0;   ///< examined pixels of the cluster: all, or an even sample
  double background_share = 0;
  std::vector<ResponsibleCircle> circles;  ///< largest share first
};

struct DifferenceExplanation {
  /// True if pixels were compared by their samples in pictures; if these are equal, by their
  /// floats.
  bool in_samples = true;
  std::uint64_t pixels = 0,
                clusters = 0;  ///< differing pixels; clusters connect by sides or corners
  std::uint64_t changes = 0;   ///< circles that differ anywhere in the frames
  std::vector<ClusterExplanation> explained;  ///< the largest clusters, largest first
};

/// Explains the difference of two frames of one size, both with alpha or both without. A circle's
/// effect on a pixel is T·α·(c − behind), the light that replaces what lies behind it; black and
/// covering circles count too. A circle's share is the change of its effects from a to b, over
/// channels and examined pixels, relative to the sum for all circles that differ. At most `most`
/// clusters are explained. Parallel. Lists take at most `list_budget` bytes (0: a quarter of the
/// memory), or the bytes of a single tile's lists.
DifferenceExplanation explain_difference(const DrawnFrame& a, const DrawnFrame& b,
                                         std::uint64_t list_budget, std::size_t most = 1);

}  // namespace roundel
