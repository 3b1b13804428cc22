#include "renderer/raster/cpu/blend_tiles.h"

#include <algorithm>
#include <cmath>

#include "renderer/raster/chunks.h"

// Compiled once for each of these instruction sets; the best one that the machine has is chosen
// when the program runs.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "renderer/raster/cpu/blend_tiles.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#undef ROUNDEL_TARGET_HAS_FMA
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSE4
#define ROUNDEL_TARGET_HAS_FMA 0
#else
#define ROUNDEL_TARGET_HAS_FMA 1
#endif

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
#include "renderer/raster/cpu/highway_lanes.h"
#include "renderer/raster/pixel_math.h"

using L = VectorLanes;
using Vector = L::Float;
const L::Tag kTag;

struct TileBlender {
  const BlendTileArgs& args;
  const PixelRect pixels = args.grid.bin_pixels(args.bin_x, args.bin_y);
  const int bin_size = args.grid.bin_size;
  float* const red = args.state.plane(0);
  float* const green = args.state.plane(1);
  float* const blue = args.state.plane(2);
  float* const transmittance = args.state.plane(3);
  // Centres of the bin's columns and rows, and which rows still have a pixel that has not stopped.
  alignas(64) float column_x[256];
  alignas(64) float row_y[256];
  bool row_is_live[256];

  explicit TileBlender(const BlendTileArgs& blend_args) : args(blend_args) {
    const Vector lane_numbers = hn::Iota(kTag, 0);
    const int lanes = static_cast<int>(hn::Lanes(kTag));
    for (int i = 0; i < bin_size; i += lanes) {
      const Vector x = L::add(L::set(static_cast<float>(pixels.x0 + i)), lane_numbers);
      const Vector y = L::add(L::set(static_cast<float>(pixels.y0 + i)), lane_numbers);
      hn::Store(pixel_center<L>(x, args.grid.s), kTag, column_x + i);
      hn::Store(pixel_center<L>(y, args.grid.s), kTag, row_y + i);
    }
  }

  /// Looks which rows have live pixels; false when none has. Columns beyond the image's edge are
  /// not looked at.
  bool find_live_rows() {
    bool any = false;
    const int lanes = static_cast<int>(hn::Lanes(kTag));
    const int columns = pixels.x1 - pixels.x0 + 1;
    for (int row = 0; row <= pixels.y1 - pixels.y0; ++row) {
      auto live = hn::Gt(hn::Zero(kTag), hn::Zero(kTag));
      for (int i = 0; i < columns; i += lanes) {
        const int offset = row * bin_size + i;
        const Vector t = hn::Load(kTag, transmittance + offset);
        const auto inside = hn::FirstN(kTag, static_cast<std::size_t>(columns - i));
        live = hn::Or(live, hn::And(inside, hn::Gt(t, L::set(kOpaqueTransmittance))));
      }
      row_is_live[row] = !hn::AllFalse(kTag, live);
      any |= row_is_live[row];
    }
    return any;
  }

  void blend_span(int offset, Vector d2, const Shape& shape, const Paint& paint) {
    PixelState<L> state{hn::Load(kTag, red + offset), hn::Load(kTag, green + offset),
                        hn::Load(kTag, blue + offset), hn::Load(kTag, transmittance + offset)};
    blend_circle<L>(state, d2, shape.radius, paint, args.ramp);
    hn::Store(state.red, kTag, red + offset);
    hn::Store(state.green, kTag, green + offset);
    hn::Store(state.blue, kTag, blue + offset);
    hn::Store(state.transmittance, kTag, transmittance + offset);
  }

  void blend(const Shape& shape, const Paint& paint) {
    const PixelRect bounds = args.grid.pixel_bounds(shape);
    const int lanes = static_cast<int>(hn::Lanes(kTag));
    const int first_row = std::max(bounds.y0 - pixels.y0, 0);
    const int last_row = std::min(bounds.y1, pixels.y1) - pixels.y0;
    const int first_column = std::max(bounds.x0 - pixels.x0, 0) & -lanes;
    const int last_column = std::min(bounds.x1, pixels.x1) - pixels.x0;
    const float r2 = shape.radius * shape.radius;
    for (int row = first_row; row <= last_row; ++row) {
      if (!row_is_live[row]) continue;
      const float dy = shape.y - row_y[row];
      // Rounding is monotonic: where dy² alone exceeds r², no column can be covered.
      if (dy * dy > r2) continue;
      for (int column = first_column; column <= last_column; column += lanes) {
        const Vector dx = hn::Sub(L::set(shape.x), hn::Load(kTag, column_x + column));
        const Vector d2 = squared_distance<L>(dx, L::set(dy));
        blend_span(row * bin_size + column, d2, shape, paint);
      }
    }
  }
};

bool blend_tile(const BlendTileArgs& args) {
  TileBlender blender(args);
  if (!blender.find_live_rows()) return true;
  // A look for live rows costs as much as a few circles; growing intervals bound the looks where
  // the tile never stops, and what is walked in vain where it does.
  std::size_t next_look = 16;
  constexpr std::size_t kPrefetchDistance = 12;
  const std::size_t count = args.list.size();
  const std::uint32_t* const back = args.list.data();
  for (std::size_t done = 0; done < count; ++done) {
    if (done == next_look) {
      if (!blender.find_live_rows()) return true;
      next_look += next_look / 4;
    }
    const std::uint32_t* const index = back + (count - 1 - done);
    if (done + kPrefetchDistance < count) {
      const std::uint32_t ahead = *(index - kPrefetchDistance);
      __builtin_prefetch(&args.shapes[ahead]);
      __builtin_prefetch(&args.paints[ahead]);
    }
    blender.blend(args.shapes[*index], args.paints[*index]);
  }
  return !blender.find_live_rows();
}

PixelState<L> pixels_over_background(const TileState& state, int i, const Color& background) {
  PixelState<L> pixel{hn::Load(kTag, state.plane(0) + i), hn::Load(kTag, state.plane(1) + i),
                      hn::Load(kTag, state.plane(2) + i), hn::Load(kTag, state.plane(3) + i)};
  add_background<L>(pixel, background);
  return pixel;
}

void add_background_to_row(const TileState& state, int row, const Color& background) {
  const int lanes = static_cast<int>(hn::Lanes(kTag));
  const int first = row * state.bin_size;
  for (int i = first; i < first + state.bin_size; i += lanes) {
    const PixelState<L> pixel = pixels_over_background(state, i, background);
    hn::Store(pixel.red, kTag, state.plane(0) + i);
    hn::Store(pixel.green, kTag, state.plane(1) + i);
    hn::Store(pixel.blue, kTag, state.plane(2) + i);
  }
}

void finish_row_rgb(const TileState& state, int row, int count, const Color& background,
                    std::uint8_t* out) {
  const int lanes = static_cast<int>(hn::Lanes(kTag));
  const hn::RebindToSigned<L::Tag> integers;
  const hn::Rebind<std::uint8_t, L::Tag> bytes;
  const auto to_bytes = [&](Vector channel) {
    return hn::DemoteTo(bytes, hn::ConvertTo(integers, quantized<L>(channel)));
  };
  std::uint8_t rgb[3 * kLargestBinSize + 64];
  for (int i = 0; i < count; i += lanes) {
    const PixelState<L> pixel = pixels_over_background(state, row * state.bin_size + i, background);
    const int position = 3 * i;
    hn::StoreInterleaved3(to_bytes(pixel.red), to_bytes(pixel.green), to_bytes(pixel.blue), bytes,
                          rgb + position);
  }
  std::copy_n(rgb, 3 * count, out);
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::cpu {
HWY_EXPORT(blend_tile);
HWY_EXPORT(add_background_to_row);
HWY_EXPORT(finish_row_rgb);

bool blend_tile(const BlendTileArgs& args) {
  return HWY_DYNAMIC_DISPATCH(blend_tile)(args);
}

void clear_tile(const TileState& state) {
  const int pixels = state.bin_size * state.bin_size;
  std::fill_n(state.planes, 3 * pixels, 0.0f);
  std::fill_n(state.plane(3), pixels, 1.0f);
}

void finish_row(const TileState& state, int row, int count, const Color& background,
                bool keep_alpha, Pixel* out) {
  if (!keep_alpha) HWY_DYNAMIC_DISPATCH(add_background_to_row)(state, row, background);
  const int first = row * state.bin_size;
  for (int i = first; i < first + count; ++i)
    *out++ = {state.plane(0)[i], state.plane(1)[i], state.plane(2)[i],
              keep_alpha ? 1.0f - state.plane(3)[i] : 1.0f};
}

void finish_row_rgb(const TileState& state, int row, int count, const Color& background,
                    std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(finish_row_rgb)(state, row, count, background, out);
}

std::string vector_target() {
  const auto supported = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(supported & ~(supported - 1));
}

}  // namespace roundel::cpu
#endif  // HWY_ONCE
