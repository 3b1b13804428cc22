#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/circles/circle_stream.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Estimates from a few hundred circles. They decide the size of chunks, never a pixel.
struct FrameEstimate {
  /// Front circles that should saturate most of the image; all if they never do.
  std::uint64_t front_circles;
  /// Mean number of tiles that a circle's box touches: front circles; all.
  double front_tiles_per_circle, tiles_per_circle;
  /// Number of circles centred in the fullest tile of any block of samples; 0 unless it has a tenth
  /// of the block. If 0, lists have about equal lengths.
  double longest_list = 0;
  /// Share of the touched tiles in the densest square of kSquareTiles tiles a side; 1 if the image
  /// is one square. The largest share among all circles, the front ones, and some thousand
  /// successive ones.
  double densest_square = 1;
  /// Mean height of the front circles' centres in the densest area, in shares of the image, in [0,
  /// 1); 0 if none is dense.
  double densest_height = 0;
};
inline constexpr int kSquareTiles = 32;

/// `circles` are in frame space; `tile_size` is in pixels. The front circles' mean opacity is
/// `saturation_factor` times that of an opaque pixel, since circles lie at random, and half as
/// densely at the image's edges.
FrameEstimate estimate_frame(const CircleStream& circles, const ImageSettings& image, int tile_size,
                             double saturation_factor);

/// Returns the samples of estimate_frame(), in its order, if the stream's sample_run is 1.
std::vector<std::size_t> sampled_indices(std::size_t count);

struct ChunkPolicy {
  /// for estimate_frame(): a tile that needs a second chunk costs more than long lists
  double saturation_factor;
  std::uint64_t min_first, largest;  ///< circles
  std::uint64_t growth;              ///< see ChunkPlan::Sizes

  ChunkPlan::Sizes sizes(const FrameEstimate& estimate) const {
    return {std::clamp(estimate.front_circles, min_first, largest), largest, growth};
  }
};
/// With copies a largest chunk takes 300 MB; carrying on between chunks costs less than touching
/// new memory. The first chunk leaves mostly the image's corners active, where circles are rarest;
/// a second one of the same density closes these.
inline constexpr ChunkPolicy kCpuChunks{3.2, 512, std::uint64_t{1} << 22, 2};
/// In larger pictures a second chunk costs more, since every macrotile's blocks look at all
/// circles.
inline ChunkPolicy cuda_chunks(const ImageSettings& image) {
  constexpr std::size_t kLarge = std::size_t{1} << 24, kHuge = std::size_t{1} << 28;  // pixels
  const std::size_t pixels = image.pixels();
  return {pixels < kLarge ? 6 : pixels < kHuge ? 6.5 : 7.0, 1, kMaxChunkCircles, 4};
}

}  // namespace roundel
