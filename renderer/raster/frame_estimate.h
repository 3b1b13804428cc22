#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/circles/circle_stream.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// What a look at a few hundred of a frame's circles tells about all. Decides how much work is done
/// at once, never what is painted.
struct FrameEstimate {
  /// Circles from the front that should saturate most of the image; all if they never do.
  std::uint64_t front_circles;
  /// Tiles that a circle's box touches, mean over the front circles and over all.
  double front_tiles_per_circle, tiles_per_circle;
  /// Circles whose centres lie in the tile that has most of some block's samples; 0 unless it has a
  /// tenth of them. Elsewhere lists are about equally long.
  double longest_list = 0;
  /// Of the tiles that a run of circles touches, those in the square of kSquareTiles tiles a side
  /// that has most of them: a share, 1 where the image is one square. The run is that of all, of
  /// the front ones, or some thousand that follow each other, whichever has the largest share.
  double densest_square = 1;
  /// Where the front circles crowd: the mean height of their centres there, a share of the image's
  /// height, in [0, 1); 0 also where they crowd nowhere.
  double densest_height = 0;
};
inline constexpr int kSquareTiles = 32;

/// `circles` are in frame space; tiles have `tile_size` pixels a side. The front circles are those
/// whose opacity, averaged over the image, is `saturation_factor` times what makes a pixel opaque:
/// circles lie at random, and half as densely at the image's edges.
FrameEstimate estimate_frame(const CircleStream& circles, const ImageSettings& image, int tile_size,
                             double saturation_factor);

/// The circles that estimate_frame() looks at, in the order in which it does, where the stream's
/// sample_run is 1.
std::vector<std::size_t> sampled_places(std::size_t count);

/// How a backend chooses its chunks.
struct ChunkPolicy {
  /// For estimate_frame(). For nearly all pixels to become opaque the mean must be higher than what
  /// makes one so; a tile that needs a second chunk costs more than long lists.
  double saturation_factor;
  std::uint64_t least_first, largest;  ///< circles
  std::uint64_t growth;                ///< see ChunkPlan::Sizes

  ChunkPlan::Sizes sizes(const FrameEstimate& estimate) const {
    return {std::clamp(estimate.front_circles, least_first, largest), largest, growth};
  }
};
/// With copies of its circles a largest chunk is 300 MB; carrying on from chunk to chunk costs less
/// than touching more memory for the first time. What the first chunk leaves active are mostly the
/// image's corners, where circles are rarest; a second one of the same density closes these.
inline constexpr ChunkPolicy kCpuChunks{3.2, 512, std::uint64_t{1} << 22, 2};
inline constexpr ChunkPolicy kCudaChunks{6, 1, kMostCirclesAtOnce, 4};

}  // namespace roundel
