#include "renderer/explain/circle_effects.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "renderer/raster/background.h"
#include "renderer/raster/cpu/bin_circles.h"
#include "renderer/raster/pixel_walk.h"

namespace roundel {
namespace {

using Channels = std::array<double, 4>;  // red, green, blue, alpha

constexpr std::uint32_t kNoChange = ~std::uint32_t{0};

/// Part of a pixel's difference that a change causes.
struct Effect {
  std::uint32_t change;
  Channels channels;
};

struct Side {
  const DrawnFrame& frame;
  SnowRamp ramp;
  BackgroundRows background;
  double sign;                             // sign of its effects in the difference b − a
  std::vector<std::uint32_t> change_of{};  // [circles], kNoChange for circles in both
  cpu::TileLists lists{};

  Side(const DrawnFrame& drawn, double sign_of_effects)
      : frame(drawn),
        ramp(snow_ramp(drawn.image.blend_space)),
        background(drawn.image),
        sign(sign_of_effects),
        change_of(drawn.circles.count(), kNoChange) {}

  /// Alpha is a fourth channel, which is 1 for circles.
  Channels behind_all(int row) const {
    if (frame.image.alpha) return {0, 0, 0, 0};
    const BlendColor color = background.row(row);
    return {color.red, color.green, color.blue, 1};
  }
};

/// By channel, alpha last.
Channels channels_of(const BlendColor& color, double alpha) {
  return {color.red, color.green, color.blue, alpha};
}

/// A circle of a pixel. The colour `below` it became below + alpha · (shown − stopped · below).
struct CompositedCircle {
  std::uint32_t circle;
  double alpha;
  Channels transmittance, shown, stopped;
};

CompositedCircle composited_circle(std::uint32_t circle, const PixelWalk& walk,
                                   const PixelWalk::PixelPaint& painted) {
  const BlendColor& c = painted.color;
  const PixelWalk::State& state = walk.state;
  CompositedCircle made{circle,
                        painted.alpha,
                        {state.red_transmittance, state.green_transmittance,
                         state.blue_transmittance, state.red_transmittance},
                        channels_of(c, 0),
                        {0, 0, 0, 0}};
  switch (painted.mode) {  // only `over` adds coverage, which alpha counts
    case BlendMode::kOver:
      made.shown[3] = 1;
      made.stopped = {1, 1, 1, 1};
      break;
    case BlendMode::kAdd:
      break;
    case BlendMode::kMultiply:
      made.shown = {0, 0, 0, 0};
      made.stopped = {1 - c.red, 1 - c.green, 1 - c.blue, 0};
      break;
    case BlendMode::kScreen:
      made.stopped = channels_of(c, 0);
      break;
  }
  return made;
}

/// Appends the effects of changed circles on a pixel; returns the remaining light.
Channels add_effects(const Side& side, std::span<const std::uint32_t> list, int x, int row,
                     std::vector<Effect>& effects) {
  const Circles& circles = side.frame.circles;
  PixelWalk walk = PixelWalk::at(x, row, side.frame.image);
  std::vector<CompositedCircle> composited;
  for (auto i = list.begin(); i != list.end() && !walk.has_stopped(); ++i) {
    const Shape& shape = circles.shapes[*i];
    const Paint& paint = circles.paints[*i];
    const float share = walk.share_of(shape, paint);
    if (!(share > 0)) continue;
    composited.push_back(
        composited_circle(*i, walk, walk.pixel_paint(shape, paint, share, side.ramp)));
    walk.blend(shape, paint, share, side.ramp);
  }
  Channels behind = side.behind_all(row);
  for (std::size_t i = composited.size(); i-- > 0;) {
    const CompositedCircle& circle = composited[i];
    Effect effect{side.change_of[circle.circle], {}};
    for (std::size_t c = 0; c < behind.size(); ++c) {
      const double gap = circle.shown[c] - circle.stopped[c] * behind[c];
      effect.channels[c] = side.sign * (circle.transmittance[c] * circle.alpha) * gap;
      behind[c] += circle.alpha * gap;
    }
    if (effect.change != kNoChange) effects.push_back(effect);
  }
  const PixelWalk::State& state = walk.state;
  return {state.red_transmittance, state.green_transmittance, state.blue_transmittance,
          state.red_transmittance};
}

using SumsByChange = std::unordered_map<std::uint32_t, ChangeEffect>;

/// Sums the effects of one change on both sides first, so that equal ones cancel. Clears `effects`.
void add_pixel(std::vector<Effect>& effects, SumsByChange& sums) {
  std::stable_sort(effects.begin(), effects.end(), [](const Effect& first, const Effect& second) {
    return first.change < second.change;
  });
  for (auto first = effects.begin(); first != effects.end();) {
    Channels sum{};
    auto next = first;
    for (; next != effects.end() && next->change == first->change; ++next)
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += next->channels[c];
    double amount = 0;
    for (const double channel : sum) amount += std::abs(channel);
    if (amount > 0) sums[first->change].add({amount, 1});
    first = next;
  }
  effects.clear();
}

struct PixelsOfTile {
  std::size_t tile;
  std::span<const std::uint32_t> pixels;
};

class EffectSum {
 public:
  EffectSum(const DrawnFrame& a, const DrawnFrame& b, std::span<const CircleChange> changes,
            std::uint64_t list_budget)
      : grid_(TileGrid::make(a.image, kCpuTileSize)),
        a_(a, -1),
        b_(b, 1),
        sums_(changes.size() + 1) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      if (changes[i].in_a != kNoCircle) a_.change_of[changes[i].in_a] = number;
      if (changes[i].in_b != kNoCircle) b_.change_of[changes[i].in_b] = number;
    }
    // Sums may take several times as much as the lists of both sides.
    const std::uint64_t most = std::max(a.circles.count(), b.circles.count());
    // A single tile's lists must fit, with all circles: list, rounded up, and offsets.
    const std::uint64_t least = cpu::min_list_bytes(grid_) + 4 * most * sizeof(std::uint32_t);
    max_list_bytes_ = std::max(list_budget / 16, least);
  }

  std::size_t tile_of(std::uint32_t pixel) const {
    const auto width = static_cast<std::uint32_t>(grid_.width);
    const PixelRect tile =
        grid_.tiles_of({static_cast<int>(pixel % width), static_cast<int>(pixel / width), 0, 0});
    return static_cast<std::size_t>(tile.y0) * static_cast<std::size_t>(grid_.tiles_x) +
           static_cast<std::size_t>(tile.x0);
  }

  /// Tiles whose lists do not fit together are split in half.
  void add(std::span<const PixelsOfTile> tiles) {
    std::vector<std::uint8_t> done(static_cast<std::size_t>(grid_.num_tiles()), 1);
    for (const PixelsOfTile& tile : tiles) done[tile.tile] = 0;
    const bool fits = make_lists(a_, done) && make_lists(b_, done);
    if (!fits && tiles.size() > 1) {
      add(tiles.first(tiles.size() / 2));
      add(tiles.subspan(tiles.size() / 2));
      return;
    }
    std::vector<SumsByChange> sums(tiles.size());
    tbb::parallel_for(std::size_t{0}, tiles.size(),
                      [&](std::size_t i) { add_tile(tiles[i], sums[i]); });
    for (const SumsByChange& of_tile : sums)
      for (const auto& [change, effect] : of_tile) sums_[change].add(effect);
  }

  std::vector<ChangeEffect> take() { return std::move(sums_); }

 private:
  bool make_lists(Side& side, std::span<const std::uint8_t> done) const {
    const Circles& circles = side.frame.circles;
    Circles none;
    return cpu::bin_circles(
        {circles, 0, circles.count(), none, grid_, done, max_list_bytes_, false}, side.lists);
  }

  void add_tile(const PixelsOfTile& tile, SumsByChange& sums) const {
    const auto width = static_cast<std::uint32_t>(grid_.width);
    const auto background_change = static_cast<std::uint32_t>(sums_.size() - 1);
    const std::vector<std::uint32_t> list_a = a_.lists.indices(tile.tile),
                                     list_b = b_.lists.indices(tile.tile);
    std::vector<Effect> effects;
    for (const std::uint32_t pixel : tile.pixels) {
      const int x = static_cast<int>(pixel % width), row = static_cast<int>(pixel / width);
      add_effects(a_, list_a, x, row, effects);
      const Channels light = add_effects(b_, list_b, x, row, effects);
      Effect background{background_change, {}};
      const Channels before = a_.behind_all(row), after = b_.behind_all(row);
      for (std::size_t c = 0; c < before.size(); ++c)
        background.channels[c] = light[c] * (after[c] - before[c]);
      effects.push_back(background);
      add_pixel(effects, sums);
    }
  }

  TileGrid grid_;
  Side a_, b_;
  std::uint64_t max_list_bytes_ = 0;
  std::vector<ChangeEffect> sums_;
};

}  // namespace

std::vector<ChangeEffect> sum_effects(const DrawnFrame& a, const DrawnFrame& b,
                                      std::span<const CircleChange> changes,
                                      std::span<const std::uint32_t> pixels,
                                      std::uint64_t list_budget) {
  EffectSum sum(a, b, changes, list_budget);
  std::vector<std::uint32_t> by_tile(pixels.begin(), pixels.end());
  std::stable_sort(by_tile.begin(), by_tile.end(), [&](std::uint32_t first, std::uint32_t second) {
    return sum.tile_of(first) < sum.tile_of(second);
  });
  std::vector<PixelsOfTile> tiles;
  for (std::size_t begin = 0, end = 0; begin < by_tile.size(); begin = end) {
    const std::size_t tile = sum.tile_of(by_tile[begin]);
    while (end < by_tile.size() && sum.tile_of(by_tile[end]) == tile) ++end;
    tiles.push_back({tile, std::span(by_tile).subspan(begin, end - begin)});
  }
  sum.add(tiles);
  return sum.take();
}

}  // namespace roundel
