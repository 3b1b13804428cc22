#include "renderer/raster/backend.h"

namespace roundel {

// The one frame loop: renders, films, heat maps and `roundel bench` all run it, on either backend.
void draw_chunks(RasterBackend& backend, ChunkPlan plan, StageStats& stats) {
  using Next = ChunkResult::Next;
  for (bool is_active = true; is_active;) {
    const Chunk chunk = plan.chunk();
    backend.bin(chunk, stats);
    backend.blend(chunk, stats);
    if (!plan.asks_now()) {
      plan.advance();
      continue;
    }
    const ChunkResult result = backend.result(chunk, stats);
    switch (result.next) {
      case Next::kAdvance:
        is_active = result.active_tiles > 0 && !chunk.is_last();
        plan.advance();
        break;
      case Next::kRepeat:
        plan.repeat();
        break;
      case Next::kHalve:
        plan.halve();
        break;
      case Next::kTakeAll:
        plan.take_all();
        break;
    }
  }
}

void RasterBackend::draw(const CircleStream& circles, const ImageSettings& image,
                         const FrameTarget& out, StageStats& stats) {
  stats.circles = circles.count();
  draw_chunks(*this, plan(circles, image, out, stats), stats);
  finish(stats);
}

}  // namespace roundel
