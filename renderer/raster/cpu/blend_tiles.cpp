#include "renderer/raster/cpu/blend_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "renderer/raster/chunk_plan.h"

#define HWY_TARGET_INCLUDE "renderer/raster/cpu/blend_tiles.cpp"
#include <hwy/cache_control.h>
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
#include "renderer/raster/cpu/highway_lanes.h"

using L = VectorLanes;
using Vector = L::Float;
const L::Tag kTag;

const hn::RebindToSigned<L::Tag> kIntegers;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(kTag));  // all targets here have fixed widths

#include "renderer/raster/cpu/circle_batch.h"
#include "renderer/raster/cpu/tile_blocks.h"

#include "renderer/raster/cpu/speck_blender.h"

#include "renderer/raster/cpu/area_specks.h"

#include "renderer/raster/cpu/opaque_patches.h"

#include "renderer/raster/cpu/patch_finder.h"

#include "renderer/raster/cpu/area_patches.h"

#include "renderer/raster/cpu/small_area_blender.h"

#include "renderer/raster/cpu/area_blender.h"

template <class State>
class TileBlender : public TileBlocks<State> {
  using Blocks = TileBlocks<State>;
  using Blocks::args_, Blocks::pixels_, Blocks::column_x_, Blocks::row_y_, Blocks::kStyled;
  using Blocks::offset_of, Blocks::load_pixels, Blocks::store_pixels, Blocks::find_boxes;

 public:
  using Blocks::active_blocks;
  TileBlender(const BlendTileArgs& args, Batch& batch) : Blocks(args), batch_(batch) {}

  bool any_active() { return specks_have_pixels_ ? specks_.any_active() : Blocks::any_active(); }

  /// Must be called last.
  void finish() {
    if (specks_have_pixels_) specks_.store();
  }

  /// Blends small circles one by one. Returns false if the batch must be blended block by block.
  bool blend_if_small() {
    const bool by_circles = batch_.largest < kMaxSmallRadius * args_.grid.s;
    if (by_circles) {
      find_boxes(batch_, boxes_);
      if (!kStyled && batch_.largest < kSpeckRadius * args_.grid.s && batch_.falloff == 0 &&
          boxes_.longest_side <= SpeckBlender::kMaxSide &&
          args_.state.tile_size <= SpeckBlender::kMaxSpeckTile) {
        if (!specks_have_pixels_) specks_.load(args_.state, pixels_, args_.grid);
        specks_have_pixels_ = true;
        specks_.blend({batch_.count, boxes_.longest_side, batch_.x, batch_.y, batch_.radius,
                       boxes_.first_x, boxes_.first_y, batch_.paints});
        return true;
      }
    }
    if (specks_have_pixels_) {
      specks_.store();
      specks_have_pixels_ = false;
      if (!Blocks::any_active()) return true;
    }
    compute_squares();
    if (by_circles) {
      for (int k = 0; k < batch_.count; ++k) blend_small(k);
    } else {
      compute_columns();
      rows_of_ = -1;
    }
    return by_circles;
  }

  std::uint64_t collect_circles(Block block) {
    if (block.y != rows_of_) compute_rows(rows_of_ = block.y);
    const float* const nearest_dx2 = nearest_dx2_[block.x / kLanes];
    std::uint64_t touching = 0;
    for (int k = 0; k < batch_.count; k += kLanes) {
      const Vector d2 = L::add(hn::Load(kTag, nearest_dx2 + k), hn::Load(kTag, nearest_dy2_ + k));
      touching |= bits_of(L::less_equal(d2, hn::Load(kTag, batch_.r2 + k))) << k;
      if (kStyled && batch_.rings != 0) touching &= ~(holes_around(block, k) << k);
    }
    return touching;
  }

  /// Shades circle k for a block's vectors, one for each row.
  struct SolidShader {
    HWY_INLINE SolidShader(const TileBlender& blender, int k)
        : color(paint_of<kStyled>(blender.batch_, k)),
          alpha(L::set(blender.batch_.paints[k].alpha)),
          one_minus_alpha(L::set(blender.batch_.one_minus_alpha[k])),
          hole2(L::set(kStyled ? blender.batch_.hole2[k] : -1.0f)) {}
    HWY_INLINE SolidShader(const TileBlender& blender, int k, Vector /*dx2*/)
        : SolidShader(blender, k) {}
    HWY_INLINE void paint(State& pixels, int /*row*/, Vector d2, L::Mask painted) const {
      if constexpr (kStyled)
        composite<L>(pixels, color, L::zero_unless(L::both(painted, L::greater(d2, hole2)), alpha));
      else
        composite_solid<L>(pixels, painted, alpha, one_minus_alpha, color.red, color.green,
                           color.blue);
    }
    ModePaint<L> color;
    Vector alpha, one_minus_alpha, hole2;
  };
  template <bool kSoft>
  struct FalloffShader {
    HWY_INLINE FalloffShader(const TileBlender& blender, int k, Vector dx2)
        : ramp(blender.args_.ramp),
          row_alpha(&blender.row_alpha_[0][k]),
          inverse_r2(L::set(blender.batch_.inverse_r2[k])),
          column_falloff(falloff<L>(L::mul(dx2, inverse_r2))),
          rim(L::set(blender.batch_.peak[k] * kRimFalloff)),
          color(paint_of<kStyled>(blender.batch_, k)) {}
    HWY_INLINE void paint(State& pixels, int row, Vector d2, L::Mask painted) const {
      const Vector exponential =
          L::mul(L::set(row_alpha[std::ptrdiff_t{row} * kBatch]), column_falloff);
      blend_falloff<kSoft>(pixels, painted, color, ramp, L::mul(d2, inverse_r2), exponential, rim);
    }
    const SnowRamp& ramp;
    const float* row_alpha;
    Vector inverse_r2, column_falloff, rim;
    ModePaint<L> color;
  };
  /// Blends circles of one shader. `left`: lower bound of the halvings until a pixel is opaque.
  template <class Shader>
  void blend_run(std::uint64_t circles, Block block, std::int32_t& left) {
    const int first = offset_of(block), stride = args_.state.tile_size;
    State rows[kRows];
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) rows[row] = load_pixels(first + row * stride);
    const Vector column_x = hn::Load(kTag, column_x_ + block.x);
    const Vector opaque = L::set(kOpaqueTransmittance);
    const auto shade_all = [&](int k, const auto& is_painted) HWY_ATTR {
      const Vector dx = L::sub(L::set(batch_.x[k]), column_x);
      const Vector dx2 = L::mul(dx, dx), r2 = L::set(batch_.r2[k]);
      const Shader shader(*this, k, dx2);
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const Vector d2 = L::add(dx2, L::set(dy2_[row][k]));
        shader.paint(rows[row], row, d2, is_painted(row, L::less_equal(d2, r2)));
      }
    };
    for (; circles != 0; circles &= circles - 1) {
      const int k = __builtin_ctzll(circles);
      if (left <= 0) break;
      left -= batch_.cost[k];
      shade_all(k, [](int, L::Mask inside) HWY_ATTR { return inside; });
    }
    for (; circles != 0; circles &= circles - 1) {
      L::Mask active;
      shade_all(__builtin_ctzll(circles), [&](int row, L::Mask inside) HWY_ATTR {
        const L::Mask not_opaque = L::greater(max_transmittance<L>(rows[row]), opaque);
        active = row == 0 ? not_opaque : hn::Or(active, not_opaque);
        return L::both(inside, not_opaque);
      });
      if (L::none(active)) break;
    }
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) store_pixels(rows[row], first + row * stride);
  }

 private:
  /// Radius in pixels below which circle by circle is faster than block by block.
  static constexpr float kMaxSmallRadius = kLanes < 16 || kStyled ? 5 : 4;

  /// Returns the circles from k on whose holes contain the block: tests its farthest centre.
  std::uint64_t holes_around(Block block, int k) const {
    const auto farthest = [&](const float* positions, int last, const float* centers) HWY_ATTR {
      const Vector center = hn::Load(kTag, centers + k);
      return L::max(L::sub(center, L::set(positions[0])), L::sub(L::set(positions[last]), center));
    };
    return bits_of(
        L::less_equal(squared_distance<L>(farthest(column_x_ + block.x, kLanes - 1, batch_.x),
                                          farthest(row_y_ + block.y, kRows - 1, batch_.y)),
                      hn::Load(kTag, batch_.hole2 + k)));
  }

  void compute_squares() {
    for (int k = 0; k < batch_.count; k += kLanes) {
      const Vector radius = hn::Load(kTag, batch_.radius + k);
      hn::Store(L::mul(radius, radius), kTag, batch_.r2 + k);
      hn::Store(halvings_taken(hn::Load(kTag, batch_.one_minus_alpha + k)), kIntegers,
                batch_.cost + k);
    }
    for (std::uint64_t left = batch_.falloff; left != 0; left &= left - 1) {
      const int k = __builtin_ctzll(left);
      const float alpha = peak_alpha(batch_.paints[k]);
      batch_.inverse_r2[k] = inverse_square(batch_.radius[k]);
      batch_.peak[k] = mark_soft(batch_, k) ? soft_peak(alpha) : alpha;
      batch_.cost[k] = halvings_taken(1.0f - alpha);
    }
    for (int k = batch_.count; k % kLanes != 0; ++k) batch_.r2[k] = -1;
  }

  HWY_INLINE void blend_small(int k) {
    if ((batch_.soft >> k & 1) != 0) return blend_small_falloff<true>(k);
    if ((batch_.falloff >> k & 1) != 0) return blend_small_falloff<false>(k);
    const SolidShader shader(*this, k);
    for_each_vector_of_small(k,
                             [&](State& pixels, Vector dx2, Vector dy2, L::Mask painted)
                                 HWY_ATTR { shader.paint(pixels, 0, L::add(dx2, dy2), painted); });
  }

  template <bool kSoft>
  HWY_INLINE void blend_small_falloff(int k) {
    const Vector inverse_r2 = L::set(batch_.inverse_r2[k]), peak = L::set(batch_.peak[k]);
    const Vector rim = L::set(batch_.peak[k] * kRimFalloff);
    const ModePaint<L> color = paint_of<kStyled>(batch_, k);
    for_each_vector_of_small(
        k, [&](State& pixels, Vector dx2, Vector dy2, L::Mask painted) HWY_ATTR {
          const Vector exponential =
              L::mul(row_alpha<L>(dy2, inverse_r2, peak), falloff<L>(L::mul(dx2, inverse_r2)));
          blend_falloff<kSoft>(pixels, painted, color, args_.ramp,
                               L::mul(L::add(dx2, dy2), inverse_r2), exponential, rim);
        });
  }

  template <bool kSoft>
  static HWY_INLINE void blend_falloff(State& pixels, L::Mask painted, ModePaint<L> color,
                                       const SnowRamp& ramp, Vector relative_d2, Vector exponential,
                                       Vector rim) {
    if constexpr (kSoft) {
      composite<L>(pixels, color, L::zero_unless(painted, soft_alpha<L>(exponential, rim)));
    } else {
      color.blue = L::set(1.0f);
      snow_color<L>(ramp, relative_d2, color.red, color.green);
      composite<L>(pixels, color, L::zero_unless(painted, exponential));
    }
  }

  /// Calls blend(pixels, dx2, dy2, painted) for each vector that circle k may cover.
  template <typename Blend>
  HWY_INLINE void for_each_vector_of_small(int k, const Blend& blend) {
    const std::size_t plane = args_.state.plane_size();
    const auto stride = static_cast<std::ptrdiff_t>(args_.state.tile_size);
    const int first_row = boxes_.first_y[k], last_row = boxes_.last_y[k],
              last_column = boxes_.last_x[k];
    const Vector x = L::set(batch_.x[k]), r2 = L::set(batch_.r2[k]);
    const Vector opaque = L::set(kOpaqueTransmittance);
    const float y = batch_.y[k];
    for (int column = Blocks::start_of_vectors(boxes_.first_x[k], last_column);
         column <= last_column; column += kLanes) {
      const Vector dx = L::sub(x, hn::LoadU(kTag, column_x_ + column));
      const Vector dx2 = L::mul(dx, dx);
      float* at = args_.state.planes + first_row * stride + column;
      for (int row = first_row; row <= last_row; ++row, at += stride) {
        const float dy = y - row_y_[row];
        State pixels = load_pixels(at, plane);
        const Vector dy2 = L::set(dy * dy);
        blend(pixels, dx2, dy2,
              L::both(L::less_equal(L::add(dx2, dy2), r2),
                      L::greater(max_transmittance<L>(pixels), opaque)));
        store_pixels(pixels, at, plane);
      }
    }
  }

  /// Squared distances from centres to a block's columns (or rows), 0 inside. Rounding is
  /// monotonic: no pixel's centre comes out nearer.
  static HWY_INLINE Vector nearest_square(Vector center, float first, float last) {
    const Vector distance = L::sub(center, L::clamp(center, first, last));
    return L::mul(distance, distance);
  }

  void compute_columns() {
    for (int column = 0; column < args_.grid.tile_size; column += kLanes)
      for (int k = 0; k < batch_.count; k += kLanes)
        hn::Store(nearest_square(hn::Load(kTag, batch_.x + k), column_x_[column],
                                 column_x_[column + kLanes - 1]),
                  kTag, nearest_dx2_[column / kLanes] + k);
  }

  void compute_rows(int first_row) {
    const float* const y = row_y_ + first_row;
    for (int k = 0; k < batch_.count; k += kLanes) {
      const Vector cy = hn::Load(kTag, batch_.y + k);
      hn::Store(nearest_square(cy, y[0], y[kRows - 1]), kTag, nearest_dy2_ + k);
      for (int row = 0; row < kRows; ++row) {
        const Vector row_dy = L::sub(cy, L::set(y[row]));
        hn::Store(L::mul(row_dy, row_dy), kTag, dy2_[row] + k);
      }
    }
    if (batch_.falloff == 0) return;
    for (int k = 0; k < batch_.count; k += kLanes) {
      const Vector inverse_r2 = hn::Load(kTag, batch_.inverse_r2 + k);
      const Vector peak = hn::Load(kTag, batch_.peak + k);
      for (int row = 0; row < kRows; ++row)
        hn::Store(row_alpha<L>(hn::Load(kTag, dy2_[row] + k), inverse_r2, peak), kTag,
                  row_alpha_[row] + k);
    }
  }

  Batch& batch_;
  bool specks_have_pixels_ = false;
  SpeckBlender specks_;
  alignas(64) float nearest_dx2_[kMaxTileSize / kLanes][kBatch];  ///< see compute_columns()
  // for the rows of blocks from rows_of_ on: see compute_rows()
  int rows_of_ = -1;
  alignas(64) float nearest_dy2_[kBatch];
  alignas(64) float dy2_[kRows][kBatch];
  alignas(64) float row_alpha_[kRows][kBatch];
  PixelBoxes boxes_;
};

template <class State>
bool blend_areas(const BlendTileArgs& args) {
  Batch batch;
  BatchLoader<kHasStyles<State>> loader(args);
  AreaBlender<State> blender(args, batch);
  bool is_active = args.is_fresh || blender.any_active();
  while (is_active && loader.load(batch)) {
    blender.blend();
    is_active = (args.is_last && loader.is_done()) || blender.any_active();
  }
  blender.finish();
  return !is_active;
}

template <class State>
bool blend_discs(const BlendTileArgs& args) {
  using Blender = TileBlender<State>;
  Batch batch;
  BatchLoader<kHasStyles<State>> loader(args);
  Blender blender(args, batch);
  bool is_active = args.is_fresh || blender.any_active();
  while (is_active && loader.load(batch)) {
    if (!blender.blend_if_small()) {
      for (const Block& block : blender.active_blocks()) {
        // Pixels are not tested while all circles so far cannot make one opaque.
        std::int32_t left = halvings_left(block.transmittance);
        for (std::uint64_t circles = blender.collect_circles(block), run = 0; circles != 0;
             circles &= ~run) {
          run = run_of_shader(batch, circles);
          if ((run & batch.soft) != 0) {
            blender.template blend_run<typename Blender::template FalloffShader<true>>(run, block,
                                                                                       left);
          } else if ((run & batch.falloff) != 0) {
            blender.template blend_run<typename Blender::template FalloffShader<false>>(run, block,
                                                                                        left);
          } else {
            blender.template blend_run<typename Blender::SolidShader>(run, block, left);
          }
        }
      }
    }
    is_active = (args.is_last && loader.is_done()) || blender.any_active();
  }
  blender.finish();
  return !is_active;
}

bool blend_tile(const BlendTileArgs& args) {
  return blend_discs<PixelState<L>>(args);
}
bool blend_tile_with_looks(const BlendTileArgs& args) {
  return blend_discs<ChannelState<L>>(args);
}
bool blend_tile_by_area(const BlendTileArgs& args) {
  return blend_areas<PixelState<L>>(args);
}
bool blend_tile_by_area_with_looks(const BlendTileArgs& args) {
  return blend_areas<ChannelState<L>>(args);
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::cpu {
HWY_EXPORT(blend_tile);
HWY_EXPORT(blend_tile_with_looks);
HWY_EXPORT(blend_tile_by_area);
HWY_EXPORT(blend_tile_by_area_with_looks);

BlendTile* blend_tile_on_this_machine(bool by_area, const CircleStyles& styles) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  if (styles.any())
    return by_area ? &HWY_DYNAMIC_DISPATCH(blend_tile_by_area_with_looks)
                   : &HWY_DYNAMIC_DISPATCH(blend_tile_with_looks);
  return by_area ? &HWY_DYNAMIC_DISPATCH(blend_tile_by_area) : &HWY_DYNAMIC_DISPATCH(blend_tile);
}

TileState scratch_tile(int tile_size, int num_planes) {
  thread_local Buffer<float> scratch;
  const std::size_t size = state_size(tile_size, num_planes);
  if (scratch.size() < size) scratch.resize_discard(size);
  return {scratch.data(), tile_size, num_planes};
}

TileState blank_tile(int tile_size, int num_planes, const PixelRect& pixels) {
  const TileState state = scratch_tile(tile_size, num_planes);
  const int size = state.tile_size * state.tile_size;
  std::fill_n(state.planes, 3 * size, 0.0f);
  const int columns = pixels.x1 - pixels.x0 + 1, rows = pixels.y1 - pixels.y0 + 1;
  const int transmittances = (num_planes - 3) * size;
  if (columns * rows == size) {
    std::fill_n(state.plane(3), transmittances, 1.0f);
    return state;
  }
  std::fill_n(state.plane(3), transmittances, 0.0f);
  for (int plane = 3; plane < num_planes; ++plane)
    for (int row = 0; row < rows; ++row)
      std::fill_n(
          state.plane(static_cast<std::size_t>(plane)) + std::ptrdiff_t{row} * state.tile_size,
          columns, 1.0f);
  return state;
}

std::vector<std::string> vector_targets() {
  std::vector<std::string> names;
  // Better ones have lower bits.
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1)
    names.emplace_back(hwy::TargetName(rest & -rest));
  return names;
}

std::vector<MissingVectorTarget> missing_vector_targets() {
  constexpr std::int64_t kBuilt = HWY_TARGETS;
#if HWY_ARCH_X86
  constexpr std::int64_t kKnown = kBuilt | HWY_AVX3 | HWY_AVX2 | HWY_SSE4;
#else
  constexpr std::int64_t kKnown = kBuilt;
#endif
  std::vector<MissingVectorTarget> missing;
  for (std::int64_t rest = kKnown & ~(hwy::SupportedTargets() & kBuilt); rest != 0;
       rest &= rest - 1)
    missing.push_back({hwy::TargetName(rest & -rest), (rest & -rest & kBuilt) != 0});
  return missing;
}

bool force_vector_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  if (name.empty()) return true;
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    if (name != hwy::TargetName(rest & -rest)) continue;
    hwy::SetSupportedTargetsForTest(rest & -rest);
    return true;
  }
  return false;
}

}  // namespace roundel::cpu
#endif  // HWY_ONCE
