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

/// A frame to explain: its circles in frame space, and what they were drawn to.
struct DrawnFrame {
  const Circles& circles;
  const ImageSettings& image;
  const LayerPlaces& places;
  const Framebuffer& framebuffer;
};

/// A circle that is responsible for a difference.
struct ResponsibleCircle {
  CircleChange change;
  double share;  ///< of the difference, in (0, 1]; those of all, and the background's, sum to 1
  std::uint64_t pixels;  ///< examined pixels that it makes differ
};

/// Why two frames of one size differ in a cluster of pixels. Rows are counted from the **bottom**.
struct ClusterExplanation {
  std::uint64_t pixels = 0;     ///< of the cluster
  PixelRect box{0, 0, -1, -1};  ///< around it
  int x = 0, row = 0;           ///< of its pixel that differs most, summed over the channels
  double largest = 0;           ///< by so much, of values in the blend space
  double mean = 0;              ///< over the cluster
  std::uint64_t examined = 0;   ///< pixels of it that were looked at: all, or evenly spread ones
  double background_share = 0;
  std::vector<ResponsibleCircle> circles;  ///< the largest share first
};

struct DifferenceExplanation {
  /// Pixels were compared by the samples that pictures have; else, where those are equal, in float.
  bool in_samples = true;
  std::uint64_t pixels = 0,
                clusters = 0;  ///< that differ; clusters hang together by sides or corners
  std::uint64_t changes = 0;   ///< circles that differ, anywhere in the frames
  std::vector<ClusterExplanation> explained;  ///< the largest clusters, the largest first
};

/// Both frames must have one size, and both or none alpha. A circle's effect on a pixel is what
/// replaces what lies behind it, T·α·(c − behind), so that black and covering circles count too; a
/// circle's share is its effects' changes from a to b, over channels and examined pixels, among
/// those of all circles that differ. At most `most` clusters are explained. Parallel. Lists take at
/// most `list_budget` bytes (0: a quarter of the memory) or those of a single tile.
DifferenceExplanation explain_difference(const DrawnFrame& a, const DrawnFrame& b,
                                         std::uint64_t list_budget, std::size_t most = 1);

}  // namespace roundel
