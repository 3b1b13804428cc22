#pragma once
#include <cstdint>

#include "renderer/base/stage_stats.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// What a chunk has come to.
struct ChunkResult {
  enum class Next {
    kAdvance,  ///< it is drawn
    kRepeat,   ///< its lists had no place; now they have
    kHalve,    ///< its lists have no place
    /// Active tiles' pixels have no place between chunks: these tiles start again, with all circles
    /// at once.
    kTakeAll,
  };
  Next next;
  std::uint64_t active_tiles;  ///< that circles behind the chunk can still change
};

/// The stages of a frame, one a function, which the CPU and CUDA have in common. draw() calls them.
/// A backend may return before its work is done, except from result() and finish().
class RasterBackend : public Rasterizer {
 public:
  void draw(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
            StageStats& stats) final;

  /// Stage plan: gets ready for a frame. `circles` and the output must stay until finish(). Throws
  /// Error where its memory does not do.
  virtual ChunkPlan plan(const CircleStream& circles, const ImageSettings& image,
                         const FrameTarget& out, StageStats& stats) = 0;
  /// Stage bin: lists the chunk's circles for every active tile. Circles that are not in memory are
  /// made (stage generate).
  virtual void bin(const Chunk& chunk, StageStats& stats) = 0;
  /// Stage blend: composites the lists, front to back. Tiles that are done get their background and
  /// go to the output while they are at hand. Does nothing where lists had no place.
  virtual void blend(const Chunk& chunk, StageStats& stats) = 0;
  /// Waits for the chunk, or for all chunks since it was asked the last time.
  virtual ChunkResult result(const Chunk& chunk, StageStats& stats) = 0;
  /// Stage finish: when it returns, the output is there.
  virtual void finish(StageStats& stats) = 0;
};

/// The chunks of a frame that is planned, until no tile is active.
void draw_chunks(RasterBackend& backend, ChunkPlan plan, StageStats& stats);

}  // namespace roundel
