#pragma once
#include <cstdint>

#include "renderer/base/stage_stats.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

struct ChunkResult {
  enum class Next {
    kAdvance,  ///< drawn
    kRepeat,   ///< lists overflowed; buffers were enlarged, so draw the chunk again
    kHalve,    ///< lists do not fit in memory
    /// active pixels do not fit in memory between chunks: draw their tiles again, with all circles
    /// at once
    kTakeAll,
  };
  Next next;
  std::uint64_t active_tiles;  ///< tiles that later chunks can change
};

/// A frame's stages, one function each, for the CPU and CUDA. Only result() and finish() wait for
/// the device.
class RasterBackend : public Rasterizer {
 public:
  /// Prepares a frame. `circles` and the output must stay valid until finish(). Throws Error if
  /// memory is too small.
  virtual ChunkPlan plan(const CircleStream& circles, const ImageSettings& image,
                         const FrameTarget& out, StageStats& stats) = 0;
  /// Lists the chunk's circles for every active tile. Makes circles that are not in memory (stage
  /// generate).
  virtual void bin(const Chunk& chunk, StageStats& stats) = 0;
  /// Composites the lists, front to back. Done tiles get their background and go to the output at
  /// once. Does nothing if the lists overflowed.
  virtual void blend(const Chunk& chunk, StageStats& stats) = 0;
  /// Waits for all chunks since the previous call.
  virtual ChunkResult result(const Chunk& chunk, StageStats& stats) = 0;
  /// Completes the output.
  virtual void finish(StageStats& stats) = 0;

 private:
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) final;
};

/// The only loop over chunks: for pictures, films, heat maps and `roundel-bench`, on any backend.
void draw_chunks(RasterBackend& backend, ChunkPlan plan, StageStats& stats);

/// Throws Error(kUsage) for sizes and bits that pictures cannot have.
void check_image(const ImageSettings& image);

}  // namespace roundel
