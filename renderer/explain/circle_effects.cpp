#include "renderer/explain/circle_effects.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "renderer/explain/pixel_walk.h"
#include "renderer/raster/background.h"
#include "renderer/raster/cpu/bin_circles.h"

namespace roundel {
namespace {

using Channels = std::array<double, 4>;  // red, green, blue, alpha

constexpr std::uint32_t kNoChange = ~std::uint32_t{0};

/// A part of a pixel's difference, and the change that it comes from.
struct Effect {
  std::uint32_t change;
  Channels channels;
};

/// One of the two frames.
struct Side {
  const DrawnFrame& frame;
  SnowRamp ramp;
  BackgroundRows background;
  double sign;                             // of its effects in the difference b − a
  std::vector<std::uint32_t> change_of{};  // [circles], kNoChange for those that both have
  cpu::BinLists lists{};

  Side(const DrawnFrame& drawn, double sign_of_effects)
      : frame(drawn),
        ramp(snow_ramp(drawn.image.blend_space)),
        background(drawn.image),
        sign(sign_of_effects),
        change_of(drawn.circles.count(), kNoChange) {}

  /// Colour behind all circles; alpha counts as one more channel, of which circles have 1.
  Channels behind_all(int row) const {
    if (frame.image.alpha) return {0, 0, 0, 0};
    const Color color = background.row(row);
    return {color.red, color.green, color.blue, 1};
  }
};

/// A circle that a pixel was composited of.
struct CompositedCircle {
  std::uint32_t circle;
  double weight, alpha;  // T·alpha
  Channels color;
};

/// Appends the effects of the changed circles that made a pixel; returns the light that is left.
double add_effects(const Side& side, std::span<const std::uint32_t> list, int x, int row,
                   std::vector<Effect>& effects) {
  const Circles& circles = side.frame.circles;
  PixelWalk walk = PixelWalk::at(x, row, side.frame.image.height);
  std::vector<CompositedCircle> composited;
  for (auto i = list.begin(); i != list.end() && !walk.has_stopped(); ++i) {
    const Shape& shape = circles.shapes[*i];
    if (!walk.is_covered_by(shape)) continue;
    const PixelWalk::Look look = walk.look_of(shape, circles.paints[*i], side.ramp);
    composited.push_back({*i,
                          double{walk.state.transmittance} * look.alpha,
                          look.alpha,
                          {look.color.red, look.color.green, look.color.blue, 1}});
    walk.blend(shape, circles.paints[*i], side.ramp);
  }
  Channels behind = side.behind_all(row);
  for (std::size_t i = composited.size(); i-- > 0;) {
    const CompositedCircle& circle = composited[i];
    Effect effect{side.change_of[circle.circle], {}};
    for (std::size_t c = 0; c < behind.size(); ++c) {
      const double gap = circle.color[c] - behind[c];
      effect.channels[c] = side.sign * circle.weight * gap;
      behind[c] += circle.alpha * gap;
    }
    if (effect.change != kNoChange) effects.push_back(effect);
  }
  return walk.state.transmittance;
}

using SumsByChange = std::unordered_map<std::uint32_t, ChangeEffect>;

/// Adds the effects on one pixel: those on both of its sides that belong to one change first among
/// themselves, where they cancel if they are equal. Leaves no effects.
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

/// Pixels that lie in one bin.
struct PixelsOfBin {
  std::size_t bin;
  std::span<const std::uint32_t> pixels;
};

class EffectSum {
 public:
  EffectSum(const DrawnFrame& a, const DrawnFrame& b, std::span<const CircleChange> changes,
            std::uint64_t list_budget)
      : grid_(TileGrid::make(a.image.width, a.image.height, kCpuBinSize)),
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
    // Those of a single bin, with all circles, are to fit: list, rounded up, and offsets.
    const std::uint64_t least = cpu::least_list_bytes(grid_) + 4 * most * sizeof(std::uint32_t);
    max_list_bytes_ = std::max(list_budget / 16, least);
  }

  std::size_t bin_of(std::uint32_t pixel) const {
    const auto width = static_cast<std::uint32_t>(grid_.width);
    const PixelRect bin =
        grid_.bins_of({static_cast<int>(pixel % width), static_cast<int>(pixel / width), 0, 0});
    return static_cast<std::size_t>(bin.y0) * static_cast<std::size_t>(grid_.bins_x) +
           static_cast<std::size_t>(bin.x0);
  }

  /// Bins whose lists do not fit all together are taken in two halves.
  void add(std::span<const PixelsOfBin> bins) {
    std::vector<std::uint8_t> finished(static_cast<std::size_t>(grid_.num_bins()), 1);
    for (const PixelsOfBin& bin : bins) finished[bin.bin] = 0;
    const bool fits = make_lists(a_, finished) && make_lists(b_, finished);
    if (!fits && bins.size() > 1) {
      add(bins.first(bins.size() / 2));
      add(bins.subspan(bins.size() / 2));
      return;
    }
    std::vector<SumsByChange> sums(bins.size());
    tbb::parallel_for(std::size_t{0}, bins.size(),
                      [&](std::size_t i) { add_bin(bins[i], sums[i]); });
    for (const SumsByChange& of_bin : sums)
      for (const auto& [change, effect] : of_bin) sums_[change].add(effect);
  }

  std::vector<ChangeEffect> take() { return std::move(sums_); }

 private:
  bool make_lists(Side& side, std::span<const std::uint8_t> finished) const {
    return cpu::bin_circles(side.frame.circles.shapes.span(), {}, grid_, finished, max_list_bytes_,
                            side.lists);
  }

  void add_bin(const PixelsOfBin& bin, SumsByChange& sums) const {
    const auto width = static_cast<std::uint32_t>(grid_.width);
    const auto background_change = static_cast<std::uint32_t>(sums_.size() - 1);
    const std::vector<std::uint32_t> list_a = a_.lists.indices(bin.bin),
                                     list_b = b_.lists.indices(bin.bin);
    std::vector<Effect> effects;
    for (const std::uint32_t pixel : bin.pixels) {
      const int x = static_cast<int>(pixel % width), row = static_cast<int>(pixel / width);
      add_effects(a_, list_a, x, row, effects);
      const double light = add_effects(b_, list_b, x, row, effects);
      Effect background{background_change, {}};
      const Channels before = a_.behind_all(row), after = b_.behind_all(row);
      for (std::size_t c = 0; c < before.size(); ++c)
        background.channels[c] = light * (after[c] - before[c]);
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
  std::vector<std::uint32_t> by_bin(pixels.begin(), pixels.end());
  std::stable_sort(by_bin.begin(), by_bin.end(), [&](std::uint32_t first, std::uint32_t second) {
    return sum.bin_of(first) < sum.bin_of(second);
  });
  std::vector<PixelsOfBin> bins;
  for (std::size_t begin = 0, end = 0; begin < by_bin.size(); begin = end) {
    const std::size_t bin = sum.bin_of(by_bin[begin]);
    while (end < by_bin.size() && sum.bin_of(by_bin[end]) == bin) ++end;
    bins.push_back({bin, std::span(by_bin).subspan(begin, end - begin)});
  }
  sum.add(bins);
  return sum.take();
}

}  // namespace roundel
