#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/export/ranks.h"

namespace roundel {

/// The numbers of the frames whose circles are generated and that are yet to be drawn, in order.
class FramesAhead {
 public:
  void push(std::int64_t frame);
  std::int64_t pop();

 private:
  std::mutex mutex_;
  std::deque<std::int64_t> frames_;
};

/// For the first rank: draws frames of which every rank makes a band, each on rasterizers of its
/// own. Frames are drawn in the order of `frames`. Keeps references.
std::unique_ptr<Rasterizer> make_rank_split_rasterizer(
    Ranks& ranks, FramesAhead& frames, std::vector<std::unique_ptr<Rasterizer>> rasterizers);

/// For the other ranks: draws bands until the first rank orders no more.
void draw_ordered_bands(const Scene& scene, bool wants_float, Ranks& ranks,
                        std::vector<std::unique_ptr<Rasterizer>> rasterizers);

}  // namespace roundel
