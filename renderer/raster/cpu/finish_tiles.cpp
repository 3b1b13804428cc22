#include "renderer/raster/cpu/finish_tiles.h"

#include <algorithm>
#include <cmath>

#include "renderer/pixels/quantize_levels.h"
#include "renderer/raster/background.h"
#include "renderer/raster/chunk_plan.h"

#define HWY_TARGET_INCLUDE "renderer/raster/cpu/finish_tiles.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
#include "renderer/raster/cpu/highway_lanes.h"

using L = VectorLanes;
using Vector = L::Float;
const L::Tag kTag;
const hn::RebindToUnsigned<L::Tag> kWords;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(kTag));

PixelState<L> pixels_over_background(const TileState& state, int i, const BlendColor& background) {
  PixelState<L> pixel{hn::Load(kTag, state.plane(0) + i), hn::Load(kTag, state.plane(1) + i),
                      hn::Load(kTag, state.plane(2) + i), hn::Load(kTag, state.plane(3) + i)};
  add_background<L>(pixel, background);
  return pixel;
}

void add_background_to_row(const TileState& state, int row, const BlendColor& background) {
  const int first = row * state.tile_size;
  for (int i = first; i < first + state.tile_size; i += kLanes) {
    const PixelState<L> pixel = pixels_over_background(state, i, background);
    hn::Store(pixel.red, kTag, state.plane(0) + i);
    hn::Store(pixel.green, kTag, state.plane(1) + i);
    hn::Store(pixel.blue, kTag, state.plane(2) + i);
  }
}

/// Adds the background by each channel's transmittance and sets T to 0, so that the tile has a
/// single transmittance.
void add_background_by_channel(const TileState& state, int row, const BlendColor& background) {
  const int first = row * state.tile_size;
  for (int i = first; i < first + state.tile_size; i += kLanes) {
    const auto plane = [&](std::size_t p) HWY_ATTR { return hn::Load(kTag, state.plane(p) + i); };
    ChannelState<L> pixel{plane(0), plane(1), plane(2), plane(3), plane(4), plane(5)};
    add_background<L>(pixel, background);
    hn::Store(pixel.red, kTag, state.plane(0) + i);
    hn::Store(pixel.green, kTag, state.plane(1) + i);
    hn::Store(pixel.blue, kTag, state.plane(2) + i);
    hn::Store(hn::Zero(kTag), kTag, state.plane(3) + i);
  }
}

#if HWY_TARGET == HWY_SCALAR
void finish_row_rgb(const TileState& state, int row, int count, const BlendColor& background,
                    std::uint8_t* out) {
  const auto code = [](Vector channel) {
    return static_cast<std::uint8_t>(hn::GetLane(quantized<L>(channel)));
  };
  for (int i = 0; i < count; ++i, out += 3) {
    const PixelState<L> pixel =
        pixels_over_background(state, row * state.tile_size + i, background);
    out[0] = code(pixel.red), out[1] = code(pixel.green), out[2] = code(pixel.blue);
  }
}
#else
using Bytes = hn::Repartition<std::uint8_t, L::Tag>;

/// Packs each lane into three bytes; the last quarter of the vector is undefined. Quantises as
/// quantize_by_fma() does if the target has fma.
HWY_INLINE hn::Vec<Bytes> packed_rgb(const PixelState<L>& pixel) {
  // From 2²³ on the lowest bits of a binary32 number are its ones.
  const auto code = [](Vector channel) {
#if ROUNDEL_TARGET_HAS_FMA
    const Vector sum = L::fma(L::saturate(channel), L::set(255.0f), L::set(0x1p23f));
#else
    const Vector sum = L::add(quantized<L>(channel), L::set(0x1p23f));
#endif
    return hn::BitCast(kWords, sum);
  };
  const auto words = hn::Or(code(pixel.red), hn::Or(hn::ShiftLeft<8>(code(pixel.green)),
                                                    hn::ShiftLeft<16>(code(pixel.blue))));
  // Packs twelve bytes in each block of four lanes, then joins the blocks.
  alignas(16) static constexpr std::uint8_t kPackBytes[16] = {0,  1,  2,  4,  5, 6, 8,  9,
                                                              10, 12, 13, 14, 3, 7, 11, 15};
  alignas(64) static constexpr std::int32_t kTwoBlocks[8] = {0, 1, 2, 4, 5, 6, 3, 7};
  alignas(64) static constexpr std::int32_t kFourBlocks[16] = {0,  1,  2,  4,  5, 6, 8,  9,
                                                               10, 12, 13, 14, 3, 7, 11, 15};
  const auto packed =
      hn::TableLookupBytes(hn::BitCast(Bytes(), words), hn::LoadDup128(Bytes(), kPackBytes));
  if constexpr (kLanes <= 4) return packed;
  const auto order = hn::SetTableIndices(kWords, kLanes == 8 ? kTwoBlocks : kFourBlocks);
  return hn::BitCast(Bytes(), hn::TableLookupLanes(hn::BitCast(kWords, packed), order));
}

HWY_INLINE void finish_row_rgb(const TileState& state, int row, int count,
                               const BlendColor& background, std::uint8_t* out) {
  const int first = row * state.tile_size;
  for (int i = 0; i < count; i += kLanes) {
    const auto rgb = packed_rgb(pixels_over_background(state, first + i, background));
    std::uint8_t* const position = out + std::ptrdiff_t{3} * i;
    if (i + 2 * kLanes <= count) {
      // The next vector overwrites the extra quarter.
      hn::StoreU(rgb, Bytes(), position);
      continue;
    }
    // Another thread's bytes may follow.
    alignas(64) std::uint8_t bytes[4 * kLanes];
    hn::Store(rgb, Bytes(), bytes);
    if (i + kLanes <= count) {
      std::copy_n(bytes, 3 * kLanes, position);
    } else {
      std::copy_n(bytes, 3 * (count - i), position);
    }
  }
}
#endif

void finish_tile_rgb(const TileState& state, const PixelRect& pixels, const BlendColor* background,
                     std::uint8_t* out, std::ptrdiff_t stride) {
  for (int y = pixels.y0; y <= pixels.y1; ++y, out += stride)
    finish_row_rgb(state, y - pixels.y0, pixels.x1 - pixels.x0 + 1, background[y], out);
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::cpu {
HWY_EXPORT(add_background_to_row);
HWY_EXPORT(add_background_by_channel);
HWY_EXPORT(finish_tile_rgb);

namespace {

void finish_row(const TileState& state, int row, int count, const BlendColor& background,
                bool keep_alpha, Pixel* out) {
  if (!keep_alpha) HWY_DYNAMIC_DISPATCH(add_background_to_row)(state, row, background);
  const int first = row * state.tile_size;
  for (int i = first; i < first + count; ++i)
    *out++ = {state.plane(0)[i], state.plane(1)[i], state.plane(2)[i],
              keep_alpha ? 1.0f - state.plane(3)[i] : 1.0f};
}

/// Fills a tile without circles, in display space without alpha: 3 bytes a pixel, the bottom row at
/// `out`, rows `stride` bytes apart. background[y] is image row y's.
void fill_tile_rgb(const PixelRect& pixels, const BlendColor* background, std::uint8_t* out,
                   std::ptrdiff_t stride) {
  constexpr std::ptrdiff_t kStep = 48;  // inlined; a call would take as long
  std::uint8_t row[3 * kMaxTileSize];
  const std::ptrdiff_t columns = pixels.x1 - pixels.x0 + 1;
  for (int y = pixels.y0; y <= pixels.y1; ++y, out += stride) {
    const BlendColor& color = background[y];
    if (y == pixels.y0 || !(color == background[y - 1])) {
      const std::uint8_t rgb[3] = {quantize(color.red), quantize(color.green),
                                   quantize(color.blue)};
      for (std::ptrdiff_t i = 0; i < columns; ++i) std::copy_n(rgb, 3, row + 3 * i);
    }
    std::ptrdiff_t i = 0;
    for (; i + kStep <= 3 * columns; i += kStep) std::copy_n(row + i, kStep, out + i);
    std::copy_n(row + i, 3 * columns - i, out + i);
  }
}

}  // namespace

FinishTilesArgs::FinishTilesArgs(const ImageSettings& settings, const FrameTarget& target,
                                 int pixels_a_side)
    : image(settings), out(target), tile_size(pixels_a_side) {
  const BackgroundRows rows(image);
  background.assign(static_cast<std::size_t>(image.height), rows.row(0));
  for (int y = 1; !rows.is_flat() && y < image.height; ++y)
    background[static_cast<std::size_t>(y)] = rows.row(y);
}

void finish_tile(const FinishTilesArgs& args, const PixelRect& pixels, const TileState* state) {
  const ImageSettings& image = args.image;
  const auto width = static_cast<std::size_t>(image.width);
  const auto at = [&](int y) {
    return static_cast<std::size_t>(y) * width + static_cast<std::size_t>(pixels.x0);
  };
  const auto bytes_at = [&](int y) {  // rows of an Image go down
    return args.out.image->bytes.data() + at(image.height - 1 - y) * args.out.image->pixel_bytes();
  };
  if (args.out.framebuffer == nullptr && args.out.image == nullptr) return;
  // Images with alpha have a single transmittance.
  if (state != nullptr && state->num_planes > 4 && !image.alpha)
    for (int y = pixels.y0; y <= pixels.y1; ++y) HWY_DYNAMIC_DISPATCH(add_background_by_channel)
  (*state, y - pixels.y0, args.background[static_cast<std::size_t>(y)]);
  const SampleFormat format(image);
  if (args.out.image != nullptr && !image.alpha && image.blend_space == BlendSpace::kDisplay &&
      format.is_plain()) {
    const std::ptrdiff_t stride = -std::ptrdiff_t{3} * image.width;
    if (state == nullptr)
      fill_tile_rgb(pixels, args.background.data(), bytes_at(pixels.y0), stride);
    else
      HWY_DYNAMIC_DISPATCH(finish_tile_rgb)
    (*state, pixels, args.background.data(), bytes_at(pixels.y0), stride);
    return;
  }
  const TileState finished =
      state != nullptr ? *state : blank_tile(args.tile_size, num_planes(CircleStyles()), pixels);
  const int columns = pixels.x1 - pixels.x0 + 1;
  for (int y = pixels.y0; y <= pixels.y1; ++y) {
    const BlendColor& background = args.background[static_cast<std::size_t>(y)];
    Pixel row[kMaxTileSize];
    Pixel* const out =
        args.out.framebuffer != nullptr ? args.out.framebuffer->pixels.data() + at(y) : row;
    finish_row(finished, y - pixels.y0, columns, background, image.alpha, out);
    if (args.out.image == nullptr) continue;
    std::uint8_t* bytes = bytes_at(y);
    for (int i = 0; i < columns; ++i, bytes += args.out.image->pixel_bytes())
      store_samples(row[i], format, static_cast<std::uint32_t>(pixels.x0 + i),
                    static_cast<std::uint32_t>(image.height - 1 - y), bytes);
  }
}

}  // namespace roundel::cpu
#endif  // HWY_ONCE
