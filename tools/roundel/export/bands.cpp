#include <exception>
#include <utility>

#include "renderer/render.h"
#include "renderer/sequence/split_rasterizer.h"
#include "tools/roundel/export/ranks.h"

namespace roundel {
namespace {

class RankSplitRasterizer final : public Rasterizer {
 public:
  RankSplitRasterizer(const Ranks& ranks, const FirstRank& first, FramesAhead& frames,
                      std::vector<std::unique_ptr<Rasterizer>> rasterizers)
      : ranks_(ranks), first_(first), frames_(frames), painter_(std::move(rasterizers)) {}
  void draw(const CircleFeed& circles, const ImageSettings& image, Framebuffer& out,
            StageStats& stats) override {
    draw_bands(circles, image, out, stats);
  }
  void draw(const CircleFeed& circles, const ImageSettings& image, Image& out,
            StageStats& stats) override {
    draw_bands(circles, image, out, stats);
  }

 private:
  template <typename Output>
  void draw_bands(const CircleFeed& circles, const ImageSettings& image, Output& out,
                  StageStats& stats) {
    const RowBand whole = {0, image.height};
    const int count = ranks_.count;
    BandExchange bands(ranks_);
    // Every band that was ordered is received, whatever goes wrong: its sender waits for that.
    std::exception_ptr error;
    const auto attempt = [&error](const auto& work) {
      try {
        work();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    };
    bands.order(frames_.pop());
    set_size(out, image);
    attempt(
        [&] { painter_.draw(circles.all(made_), image, part_of(whole, 0, count), out, stats); });
    for (int rank = 1; rank < count; ++rank) {
      attempt([&] { bands.receive(rank, band_bytes(out, part_of(whole, rank, count)), first_); });
    }
    if (error) std::rethrow_exception(error);
  }

  const Ranks& ranks_;
  const FirstRank& first_;
  FramesAhead& frames_;
  BandPainter painter_;
  Circles made_;  // where they are not in memory
};

}  // namespace

void FramesAhead::push(std::int64_t frame) {
  const std::lock_guard lock(mutex_);
  frames_.push_back(frame);
}

std::int64_t FramesAhead::pop() {
  const std::lock_guard lock(mutex_);
  const std::int64_t frame = frames_.front();
  frames_.pop_front();
  return frame;
}

std::unique_ptr<Rasterizer> make_rank_split_rasterizer(
    const Ranks& ranks, const FirstRank& first, FramesAhead& frames,
    std::vector<std::unique_ptr<Rasterizer>> rasterizers) {
  return std::make_unique<RankSplitRasterizer>(ranks, first, frames, std::move(rasterizers));
}

void draw_ordered_bands(const Scene& scene, bool wants_float, const Ranks& ranks,
                        std::vector<std::unique_ptr<Rasterizer>> rasterizers) {
  BandExchange bands(ranks);
  BandPainter painter(std::move(rasterizers));
  CircleSource source(scene);
  Circles circles;
  Image image;
  Framebuffer framebuffer;
  const RowBand band = part_of({0, scene.image.height}, ranks.index, ranks.count);
  while (const auto frame = bands.wait_for_order()) {
    try {
      StageStats stats;
      generate_in_frame_space(source, *frame, circles);
      if (wants_float) {
        painter.draw(circles, scene.image, band, framebuffer, stats);
      } else {
        painter.draw(circles, scene.image, band, image, stats);
      }
    } catch (const std::exception& error) {
      bands.send_failure(error.what());
      continue;
    }
    bands.send(wants_float ? band_bytes(framebuffer, band) : band_bytes(image, band));
  }
}

}  // namespace roundel
