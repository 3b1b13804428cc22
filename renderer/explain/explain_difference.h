#pragma once
#include <cstdint>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/explain/circle_numbering.h"
#include "renderer/explain/match_circles.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// A frame to explain: its circles in frame space, and its drawing.
struct DrawnFrame {
  const Circles& circles;
  const ImageSettings& image;
  const CircleNumbering& places;
  const Framebuffer& framebuffer;
};

/// A circle that causes a difference.
struct ResponsibleCircle {
  CircleChange change;
  double share;          ///< in (0, 1]; sums to 1 with the background's
  std::uint64_t pixels;  ///< examined pixels that it changes
};

/// Why two frames of one size differ in a cluster of pixels. Rows count from the **bottom**.
struct ClusterExplanation {
  std::uint64_t pixels = 0;
  PixelRect box{0, 0, -1, -1};
  int x = 0, row = 0;  ///< the pixel with the largest sum over channels
  double largest = 0;  ///< a channel's, in the blend space
  double mean = 0;
  std::uint64_t examined = 0;  ///< examined pixels: all, or an even sample
  double background_share = 0;
  std::vector<ResponsibleCircle> circles;  ///< largest share first
};

struct DifferenceExplanation {
  /// False if samples were equal, so that floats were compared.
  bool in_samples = true;
  std::uint64_t pixels = 0,
                clusters = 0;  ///< differing pixels; clusters connect by sides or corners
  std::uint64_t changes = 0;   ///< differing circles in the whole frames
  std::vector<ClusterExplanation> explained;  ///< the largest clusters, largest first
};

/// Explains the difference of two frames of one size, both with alpha or both without. A circle's
/// effect on a pixel is T·α·(c − behind): black and covering circles count too. A circle's share is
/// the change of its effects from a to b, over channels and examined pixels, relative to that of
/// all circles. Parallel. Lists take at most `list_budget` bytes (0: a quarter of the memory), or
/// those of one tile.
DifferenceExplanation explain_difference(const DrawnFrame& a, const DrawnFrame& b,
                                         std::uint64_t list_budget, std::size_t max_clusters = 1);

}  // namespace roundel
