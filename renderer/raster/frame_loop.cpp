#include <fmt/format.h>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/raster/backend.h"

namespace roundel {

void RasterBackend::draw_circles(const CircleStream& circles, const ImageSettings& image,
                                 const FrameTarget& out, StageStats& stats) {
  check_image(image);
  stats.circles = circles.count();
  const ChunkPlan chunks = plan(circles, image, out, stats);
  draw_chunks(*this, chunks, stats);
  finish(stats);
}

void draw_chunks(RasterBackend& backend, ChunkPlan plan, StageStats& stats) {
  using Next = ChunkResult::Next;
  for (bool is_active = true; is_active;) {
    checkpoint();
    const Chunk chunk = plan.chunk();
    backend.bin(chunk, stats);
    backend.blend(chunk, stats);
    if (!plan.polls_now()) {
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

void check_image(const ImageSettings& image) {
  const auto in_range = [](int side) { return side >= 1 && side <= kMaxImageSide; };
  const auto is_within = [](int first, int size, int whole) {
    return first >= 0 && first <= whole - size;
  };
  const bool is_sound =
      in_range(image.width) && in_range(image.height) && (image.bits == 8 || image.bits == 16);
  if (is_sound && image.crop &&
      !(in_range(image.frame_width()) && in_range(image.frame_height()) &&
        is_within(image.first_column(), image.width, image.frame_width()) &&
        is_within(image.first_row(), image.height, image.frame_height())))
    throw Error(ExitCode::kUsage, "image: expected a crop inside the image");
  if (is_sound) return;
  throw Error(ExitCode::kUsage,
              fmt::format("image: expected 1 to {} pixels a side of 8 or 16 bits, got {}x{} of {}",
                          kMaxImageSide, image.width, image.height, image.bits));
}

}  // namespace roundel
