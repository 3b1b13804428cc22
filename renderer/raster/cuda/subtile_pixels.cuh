#pragma once
#include "renderer/pixels/pixel_to_bytes.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/warp.cuh"
#include "renderer/raster/scalar_pixel_math.h"

/// A warp's subtile of 16 × 8 pixels and the ways to paint circles onto it. Device code only.
namespace roundel::cuda {

inline constexpr int kPixelsPerLane = kSubtileWidth * kSubtileHeight / 32;
inline constexpr int kRowStep = 32 / kSubtileWidth;  // a lane's pixels are this many rows apart

/// Tuning of blend_tiles_kernel, measured on an H200 at 1024 × 1024 pixels.
struct BlendPolicy {
  /// Of 256 threads, with 64 registers each and a few spills. With three, and none, short lists
  /// take longer by a few percent and long ones by 15; with five up to a fifth.
  static constexpr int kBlocksPerProcessor = 4;
  /// Of a tile, in shared memory at once: with half as many long lists take a tenth longer.
  static constexpr int kStagedOverlaps = 1024;
  /// Segments of at most so many overlaps are copied by one thread each, which need not search.
  static constexpr std::uint32_t kSmallSegment = 16;
  /// Unlisted circles that a thread looks at in a round: four leave more lanes idle in the last
  /// one, two need more rounds.
  static constexpr std::uint32_t kCirclesPerThread = 3;
  /// Rounds go on until so many are found. Most circles are far from a tile, and warps that paint
  /// few at a time wait for each other; 96 are as good.
  static constexpr std::uint32_t kEnoughFound = 64;
  /// Words of 32 staged overlaps with at most so many that reach the subtile are sparse: a lane a
  /// word goes through their bits, otherwise a lane a bit through the words.
  static constexpr int kSparse = 12;
  /// Boxes in the subtile that are at most so many pixels wide are marked in shared memory: a few
  /// atomics cost less than the tests and exchanges of all lanes.
  static constexpr int kMarkedWidth = 4;
  /// Those of at most so many a side are tested in registers: compute_spans() looks at whole rows,
  /// in two to three times the instructions.
  static constexpr int kTestedSide = 6;
  /// Where whole circles are painted, a subtile is looked at after so many whether it is done.
  static constexpr int kFirstLook = 16, kLookInterval = 8;
};

/// Overlaps of a tile in a block's shared memory, front to back.
inline constexpr int kStagedOverlaps = BlendPolicy::kStagedOverlaps;
struct StagedOverlaps {
  static constexpr int kWords = kStagedOverlaps / 32;
  std::uint32_t circles[kStagedOverlaps];  // the chunk's circle numbers
  std::uint32_t reaching[kSubtilesPerTile]
                        [kWords];  // bit i % 32 of word i / 32: it reaches the subtile

  /// Puts in overlap number i. All lanes of the warp call it, with numbers side by side from a
  /// multiple of 32; where there is none it is 0.
  __device__ void put(int i, Overlap overlap) {
    circles[i] = overlap >> kOverlapCircleShift;
#pragma unroll
    for (int subtile = 0; subtile < kSubtilesPerTile; ++subtile) {
      const unsigned word = __ballot_sync(kAllLanes, (overlap >> subtile & 1) != 0);
      if (i % 32 == 0) reaching[subtile][i / 32] = word;
    }
  }
};

/// A warp's part of shared memory.
struct WarpScratch {
  std::uint16_t found[kStagedOverlaps];  // staged overlaps that reach the subtile, front to back
  std::uint32_t pending[32];             // circles that reached it before, in front of those
  // A batch of them: x, y, r², 1/r².
  float4 discs[32];
  Paint paints[32];
  std::uint32_t coverage[kSubtileWidth * kSubtileHeight];  // bit i: circle i of the batch covers it
};

/// The pixels of a subtile: lane l has column l % 16 and rows l / 16, l / 16 + 2, and so on.
struct SubtilePixels {
  using L = ScalarLanes;
  using State = scalar::PixelState<L>;

  int x0, y0;  ///< the subtile's pixel at the lower left
  float center_x, center_y[kPixelsPerLane];
  State state[kPixelsPerLane];

  __device__ SubtilePixels(const TileGrid& grid, int tile_x, int tile_y, int subtile)
      : x0(tile_x * kTileSize + subtile % 2 * kSubtileWidth),
        y0(tile_y * kTileSize + subtile / 2 * kSubtileHeight) {
    // Sums of whole numbers are exact, conversions of each are slower.
    const float column = static_cast<float>(x()), first_row = static_cast<float>(y(0));
    center_x = scalar::pixel_center<L>(column, grid.s);
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      center_y[k] = scalar::pixel_center<L>(first_row + static_cast<float>(k * kRowStep), grid.s);
  }

  __device__ int x() const {
    return x0 + static_cast<int>(threadIdx.x) % kSubtileWidth;
  }
  __device__ int y(int k) const {
    return y0 + static_cast<int>(threadIdx.x) % 32 / kSubtileWidth + k * kRowStep;
  }
  __device__ bool is_outside(const TileGrid& grid) const {
    return x0 >= grid.width || y0 >= grid.height;
  }
  __device__ bool is_inside(const TileGrid& grid) const {
    return x0 + kSubtileWidth <= grid.width && y0 + kSubtileHeight <= grid.height;
  }
  __device__ bool is_active(int k) const {
    return state[k].transmittance > scalar::kOpaqueTransmittance;
  }
  /// True in all lanes when no pixel of the subtile can change any more.
  __device__ bool is_done() const {
    bool active = false;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) active |= is_active(k);
    return !__any_sync(kAllLanes, active);
  }

  /// Takes over the pixels as the chunk before left them; with null they start empty.
  __device__ void start(const SavedPixel* states, const TileGrid& grid) {
    if (!states && is_inside(grid)) {  // the usual case, straight
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) state[k] = {0, 0, 0, 1};
      return;
    }
    const int width = grid.width, height = grid.height;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      if (x() >= width || y(k) >= height) {
        state[k] = {0, 0, 0, 0};  // outside the image: opaque from the start
      } else if (!states) {
        state[k] = {0, 0, 0, 1};
      } else {
        const SavedPixel saved = states[static_cast<std::size_t>(y(k)) * width + x()];
        state[k] = {saved.red, saved.green, saved.blue, saved.transmittance};
      }
    }
  }
  __device__ void save(SavedPixel* states, int width, int height) const {
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      if (x() < width && y(k) < height)
        states[static_cast<std::size_t>(y(k)) * width + x()] = {
            state[k].red, state[k].green, state[k].blue, state[k].transmittance};
  }

  __device__ void write(const BlendTilesArgs& args) {
    const int width = args.grid.width, height = args.grid.height;
    // The usual case, straight: display colours, and rows and subtiles that consist of whole words.
    if (args.bytes && !args.framebuffer && !args.keep_alpha &&
        args.blend_space == BlendSpace::kDisplay && width % 4 == 0 && is_inside(args.grid)) {
      std::uint8_t* bytes =
          args.bytes + (static_cast<std::size_t>(height - 1 - y(0)) * width + x()) * 3;
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k, bytes -= kRowStep * 3 * width) {
        scalar::add_background(state[k], background_row(args, y(k)));
        write_quarter_row(quantized_rgb(state[k]), bytes);
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      if (x() < width && y(k) < height) write_pixel(args, x(), y(k), state[k]);
  }

 private:
  /// The codes of red, green and blue in bytes 0 to 2; byte 3 is undefined.
  __device__ static std::uint32_t quantized_rgb(const State& s) {
    const auto code_in_byte_0 = [](float c) {
      return __float_as_uint(scalar::quantizing_sum<L>(c));
    };
    const std::uint32_t red_green =
        __byte_perm(code_in_byte_0(s.red), code_in_byte_0(s.green), 0x0040);
    return __byte_perm(red_green, code_in_byte_0(s.blue), 0x0410);
  }

  /// Four lanes side by side have four pixels, three words: the first three lanes write one each.
  /// `bytes` is where the lane's pixel stands; byte 3 of `rgb` is not looked at.
  __device__ static void write_quarter_row(std::uint32_t rgb, std::uint8_t* bytes) {
    const std::uint32_t next = __shfl_down_sync(kAllLanes, rgb, 1);
    const int i = static_cast<int>(threadIdx.x) % 4;
    // Word i is bytes i to 2 of pixel i and 0 to i of the next one, which are bytes 4 to 4 + i
    // here.
    const std::uint32_t bytes_of_word = i == 0 ? 0x4210 : i == 1 ? 0x5421 : 0x6542;
    if (i < 3) *reinterpret_cast<std::uint32_t*>(bytes + i) = __byte_perm(rgb, next, bytes_of_word);
  }

  __device__ static BlendColor background_row(const BlendTilesArgs& args, int y) {
    if (!args.background) return args.flat_background;
    const float4 row = args.background[y];
    return {row.x, row.y, row.z};
  }

  /// Every case; not inlined, so that the code that is run most stays short.
  __device__ __noinline__ static void write_pixel(const BlendTilesArgs& args, int x, int y,
                                                  State s) {
    if (!args.keep_alpha) scalar::add_background(s, background_row(args, y));
    const Pixel pixel{s.red, s.green, s.blue, args.keep_alpha ? 1.0f - s.transmittance : 1.0f};
    const std::size_t width = args.grid.width;
    if (args.framebuffer) args.framebuffer[y * width + x] = pixel;
    if (!args.bytes) return;
    const std::size_t position = (args.grid.height - 1 - y) * width + x;
    if (args.keep_alpha)
      pixel_to_rgba(pixel, args.blend_space, args.bytes + position * 4);
    else
      pixel_to_rgb(pixel, args.blend_space, args.bytes + position * 3);
  }
};

/// Paints a subtile's circles in batches of 32. All lanes of the warp call its functions.
struct SubtilePainter {
  using L = ScalarLanes;
  using Policy = BlendPolicy;

  const Shape* shapes;  // [count], of the chunk
  const Paint* paints;
  const SnowRamp& ramp;
  const TileGrid& grid;
  WarpScratch& scratch;
  int subtile;  ///< its number in the tile
  int num_pending = 0;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  /// Before the first use.
  __device__ void clear() {
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) scratch.coverage[k * 32 + lane()] = 0;
  }

  /// Paints those of the first `count` staged overlaps that reach the subtile; up to 31 are carried
  /// to the next call. True when the subtile is done.
  __device__ bool paint(SubtilePixels& pixels, const StagedOverlaps& staged, int count) {
    const int total = num_pending + find(staged, count);
    const auto circle = [&](int i) {
      if (i >= total) return 0u;
      return i < num_pending ? scratch.pending[i] : staged.circles[scratch.found[i - num_pending]];
    };
    int done = 0;
    for (; total - done >= 32; done += 32) {
      paint_batch(pixels, circle(done + lane()), 32);
      if (pixels.is_done()) return true;
    }
    const std::uint32_t left = circle(done + lane());
    __syncwarp();
    scratch.pending[lane()] = left;
    num_pending = total - done;
    __syncwarp();
    return false;
  }

  /// All of the chunk's circles, at most 32: too few to look which of them reach the subtile.
  __device__ void take_all(int count) {
    scratch.pending[lane()] = max(count - 1 - lane(), 0);
    num_pending = count;
    __syncwarp();
  }

  /// Paints what is carried. True when the subtile is done.
  __device__ bool finish(SubtilePixels& pixels) {
    if (num_pending > 0) paint_batch(pixels, scratch.pending[lane()], num_pending);
    return pixels.is_done();
  }

 private:
  /// Finds those of the first `count` staged overlaps that reach the subtile, and returns their
  /// number.
  __device__ int find(const StagedOverlaps& staged, int count) {
    const int words = (count + 31) / 32;
    std::uint32_t left = lane() < words ? staged.reaching[subtile][lane()] : 0;
    const int inclusive = warp_inclusive_sum(__popc(left));
    if (!__any_sync(kAllLanes, __popc(left) > Policy::kSparse)) {
      // A lane a word.
      std::uint16_t* next = scratch.found + inclusive - __popc(left);
      for (; left != 0; left &= left - 1)
        *next++ = static_cast<std::uint16_t>(lane() * 32 + (__ffs(left) - 1));
    } else {
      // A lane a bit.
      int found = 0;
      for (int word = 0; word < words; ++word) {
        const std::uint32_t reaching = __shfl_sync(kAllLanes, left, word);
        if (reaching >> lane() & 1)
          scratch.found[found + __popc(reaching & ((1u << lane()) - 1))] =
              static_cast<std::uint16_t>(word * 32 + lane());
        found += __popc(reaching);
      }
    }
    __syncwarp();
    return __shfl_sync(kAllLanes, inclusive, 31);
  }

  /// Pixels; up to this radius the ends of a row of covered pixels are found to within half a pixel
  /// by approximate arithmetic.
  static constexpr float kMostSpanRadius = 400;
  /// Pixels; with 2⁻²⁰ of the numbers involved, more than the rounding of a circle's place.
  static constexpr float kBoxMargin = 0.0625f;

  /// Paints the first `count` lanes' circles.
  __device__ void paint_batch(SubtilePixels& pixels, std::uint32_t circle, int count) {
    Shape shape{0, 0, 0, 0};
    Paint paint{0, 0, 0, 0};
    if (lane() < count) {
      shape = load_shape(shapes + circle);
      paint = load_paint(paints + circle);
    }
    const float r2 = shape.radius * shape.radius;
    // The circle's box in the subtile, a little too large.
    const float height = static_cast<float>(grid.height);
    const float middle_x = shape.x * height - (static_cast<float>(pixels.x0) + 0.5f);
    const float middle_y = shape.y * height - (static_cast<float>(pixels.y0) + 0.5f);
    const float radius = shape.radius * height;
    const float reach =
        radius + (kBoxMargin + (fabsf(middle_x) + fabsf(middle_y) + radius) * 0x1p-20f);
    const float x0 = fmaxf(middle_x - reach, 0.0f),
                x1 = fminf(middle_x + reach, kSubtileWidth - 1.0f);
    const float y0 = fmaxf(middle_y - reach, 0.0f),
                y1 = fminf(middle_y + reach, kSubtileHeight - 1.0f);
    bool reaches = shape.radius > 0 && x0 <= x1 && y0 <= y1;
    const bool has_snow = __any_sync(kAllLanes, reaches && is_snow(paint));
    std::uint32_t covering[kPixelsPerLane];

    const int first_column = __float2int_ru(x0), columns = __float2int_rd(x1) + 1 - first_column;
    const int first_row = __float2int_ru(y0), rows = __float2int_rd(y1) + 1 - first_row;
    if (!__any_sync(kAllLanes, reaches && columns > Policy::kMarkedWidth)) {
      store(lane(), shape, r2, paint, has_snow);
      if (reaches) mark(shape, r2, first_column, first_row, rows, pixels);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) {
        covering[k] = scratch.coverage[k * 32 + lane()];
        scratch.coverage[k * 32 + lane()] = 0;
      }
      paint_covering(pixels, covering, has_snow);
      return;
    }
    // A large circle's edge may be narrow, but tall.
    if (!__any_sync(kAllLanes, reaches && max(columns, rows) > Policy::kTestedSide)) {
      store(lane(), shape, r2, paint, has_snow);
      test_box(shape, reaches ? r2 : -1, reaches ? first_column : 0, reaches ? first_row : 0,
               pixels, covering);
      transpose(covering);
      paint_covering(pixels, covering, has_snow);
      return;
    }

    const PixelRect subtile_pixels{pixels.x0, pixels.y0, pixels.x0 + kSubtileWidth - 1,
                                   pixels.y0 + kSubtileHeight - 1};
    reaches = reaches && may_cover(shape, subtile_pixels, grid.s);
    const bool is_whole = reaches && covers_all(shape, subtile_pixels, grid.s);
    const unsigned reaching = __ballot_sync(kAllLanes, reaches);
    const unsigned whole = __ballot_sync(kAllLanes, is_whole);
    const bool has_large = __any_sync(kAllLanes, reaches && !is_whole && reach > kMostSpanRadius);
    if (!has_large && (has_snow || 4 * __popc(whole) < __popc(reaching))) {
      store(lane(), shape, r2, paint, has_snow);
      compute_spans(shape, reaches ? r2 : -1, reaches ? middle_x : 0, pixels, covering);
      transpose(covering);
      paint_covering(pixels, covering, has_snow);
      return;
    }

    // Without gaps, so that the loop over them is short.
    const int position = __popc(reaching & ((1u << lane()) - 1));
    scratch.coverage[lane()] = 0;
    __syncwarp();
    if (reaches) {
      store(position, shape, r2, paint, has_snow);
      scratch.coverage[position] = is_whole;
    }
    __syncwarp();
    const unsigned whole_ones = __ballot_sync(kAllLanes, scratch.coverage[lane()] != 0);
    scratch.coverage[lane()] = 0;
    if (has_snow)
      paint_snow_by_circle(pixels, __popc(reaching));
    else
      paint_by_circle(pixels, __popc(reaching), whole_ones);
    __syncwarp();
  }

  __device__ void store(int i, const Shape& shape, float r2, const Paint& paint, bool has_snow) {
    scratch.discs[i] = {shape.x, shape.y, r2, has_snow ? scalar::inverse_square(shape.radius) : 0};
    scratch.paints[i] = paint;
  }

  /// Circle by circle, every lane looks whether its pixels are covered. Bit i of `whole` tells
  /// whether circle i of the batch covers all of the subtile.
  __device__ void paint_by_circle(SubtilePixels& pixels, int count, unsigned whole) {
    for (int i = 0; i < count;) {
      if (i >= Policy::kFirstLook && pixels.is_done()) return;
      const int end = min(i + Policy::kLookInterval, count);
      for (; i < end; ++i, whole >>= 1) {
        const Paint paint = scratch.paints[i];
        if (whole & 1) {
#pragma unroll
          for (int k = 0; k < kPixelsPerLane; ++k)
            if (pixels.is_active(k)) blend_solid(pixels.state[k], paint);
          continue;
        }
        const float4 disc = scratch.discs[i];
        const float dx = disc.x - pixels.center_x;
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k) {
          const float d2 = scalar::squared_distance<L>(dx, disc.y - pixels.center_y[k]);
          if (d2 <= disc.z && pixels.is_active(k)) blend_solid(pixels.state[k], paint);
        }
      }
    }
  }

  /// The same where there is snow among the circles.
  __device__ void paint_snow_by_circle(SubtilePixels& pixels, int count) {
    for (int i = 0; i < count; ++i) {
      const float4 disc = scratch.discs[i];
      const float dx = disc.x - pixels.center_x;
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) {
        const float dy = disc.y - pixels.center_y[k];
        if (scalar::squared_distance<L>(dx, dy) <= disc.z && pixels.is_active(k))
          blend(pixels.state[k], dx * dx, dy * dy, disc.w, scratch.paints[i]);
      }
    }
  }

  /// Marks in scratch.coverage the pixels that the lane's own circle covers: at most kMarkedWidth
  /// columns of the subtile from `first_column` on, and `rows` rows from `first_row` on.
  __device__ void mark(const Shape& shape, float r2, int first_column, int first_row, int rows,
                       const SubtilePixels& pixels) {
    constexpr int kMarkedWidth = Policy::kMarkedWidth;
    float dx2[kMarkedWidth];
#pragma unroll
    for (int i = 0; i < kMarkedWidth; ++i) {
      const int column = first_column + i;
      const float dx =
          shape.x - scalar::pixel_center<L>(static_cast<float>(pixels.x0 + column), grid.s);
      dx2[i] = column < kSubtileWidth ? dx * dx : INFINITY;
    }
    std::uint32_t* marked = scratch.coverage + first_row * kSubtileWidth + first_column;
    for (int row = first_row; row < first_row + rows; ++row, marked += kSubtileWidth) {
      const float dy =
          shape.y - scalar::pixel_center<L>(static_cast<float>(pixels.y0 + row), grid.s);
      const float dy2 = dy * dy;
#pragma unroll
      for (int i = 0; i < kMarkedWidth; ++i)
        if (dx2[i] + dy2 <= r2) atomicOr(marked + i, 1u << lane());
    }
  }

  /// The pixels that the lane's own circle covers, all of them among the kTestedSide rows and
  /// columns from pixel (first_column, first_row) of the subtile on: bit 16·(row % 2) + column of
  /// word row / 2. The same number of steps for every circle, and none of them waits for shared
  /// memory.
  __device__ void test_box(const Shape& shape, float r2, int first_column, int first_row,
                           const SubtilePixels& pixels,
                           std::uint32_t covering[kPixelsPerLane]) const {
    constexpr int kTestedSide = Policy::kTestedSide;
    // Whole numbers below 2²⁴: their sums are exact.
    const float x = static_cast<float>(pixels.x0 + first_column);
    const float y = static_cast<float>(pixels.y0 + first_row);
    float dx2[kTestedSide];
#pragma unroll
    for (int i = 0; i < kTestedSide; ++i) {
      const float dx = shape.x - scalar::pixel_center<L>(x + static_cast<float>(i), grid.s);
      dx2[i] = dx * dx;
    }
    static_assert(kTestedSide == 6 && kSubtileWidth == 16 && kPixelsPerLane == 4);
    std::uint32_t pairs[3];  // of rows: column i from the first one at bits i and 16 + i
    const std::uint32_t columns = (0xffffu >> first_column) * 0x10001;  // that the subtile has
#pragma unroll
    for (int pair = 0; pair < 3; ++pair) {
      std::uint32_t bits = 0;
#pragma unroll
      for (int row = 2 * pair; row < 2 * pair + 2; ++row) {
        const float dy = shape.y - scalar::pixel_center<L>(y + static_cast<float>(row), grid.s);
        const float dy2 = dy * dy;
#pragma unroll
        for (int i = 0; i < kTestedSide; ++i)
          set_if_at_most(bits, 1u << (row % 2 * 16 + i), dx2[i] + dy2, r2);
      }
      pairs[pair] = (bits & columns) << first_column;
    }
    // Up by first_row rows, 16 bits each; those above the subtile fall out.
    const int odd = first_row % 2 * 16;
    covering[0] = pairs[0] << odd;
    covering[1] = __funnelshift_l(pairs[0], pairs[1], odd);
    covering[2] = __funnelshift_l(pairs[1], pairs[2], odd);
    covering[3] = __funnelshift_l(pairs[2], 0, odd);
#pragma unroll
    for (int step = 1; step <= 2; step *= 2) {
      const bool is_moved = (first_row & 2 * step) != 0;
#pragma unroll
      for (int word = kPixelsPerLane - 1; word >= 0; --word)
        if (is_moved) covering[word] = word < step ? 0 : covering[word - step];
    }
  }

  /// Sets `bit` of `bits` where a <= b; one instruction after the comparison, which the compiler
  /// makes two of.
  __device__ static void set_if_at_most(std::uint32_t& bits, std::uint32_t bit, float a, float b) {
    asm("{ .reg .pred p; setp.le.f32 p, %1, %2; @p or.b32 %0, %0, %3; }"
        : "+r"(bits)
        : "f"(a), "f"(b), "r"(bit));
  }

  /// The pixels that the lane's own circle covers: bit 16·(row % 2) + column of word row / 2. In a
  /// row they are side by side, because rounding is monotonic; approximate arithmetic finds the
  /// ends to within half a pixel, the coverage test of the pixel there decides. `middle` is the
  /// circle's centre in columns of the subtile, a finite number; with r2 < 0 there are none.
  ///
  /// Why half a pixel, for radii up to R = kMostSpanRadius: the coverage test itself rounds a sum
  /// of at most r² twice, which moves an end by at most R·2⁻¹¹·⁵, 0.14 pixels; dy² here is the
  /// test's own. The test's centres of pixels and `middle` differ by 2⁻²² of the place in the
  /// image, 1/64 pixel at most. The root is within 2⁻²³ (PTX ISA,
  /// sqrt.approx; denormals count as 0), and numbers of up to R + 24 columns are rounded a few
  /// times to 2⁻²⁴: less than 0.001.
  __device__ void compute_spans(const Shape& shape, float r2, float middle,
                                const SubtilePixels& pixels,
                                std::uint32_t covering[kPixelsPerLane]) const {
    // A row is a word for columns −8 to 23, all that an end's place, clamped, may be: kLeft columns
    // are to the left of the subtile's. The first covered one is counted from the word's left end,
    // the last one from its right end, in 31sts of the word, so that clamping to [0, 1] costs
    // nothing.
    constexpr int kLeft = 8, kMost = 31;
    constexpr float kPart = 1.0f / kMost;
    const float s = grid.s;
    const float scale = -static_cast<float>(grid.height) * kPart;
    const float from_left = (middle + kLeft) * kPart, from_right = (kMost - kLeft - middle) * kPart;
    const float x_half = static_cast<float>(pixels.x0) + (0.5f - kLeft);
    const float y_half = static_cast<float>(pixels.y0) + 0.5f;
    // Adding 1.5·2²³ rounds to a whole number, which the lowest bits then are.
    constexpr float kRound = 0x1.8p23f;
    std::uint32_t even_row = 0;
#pragma unroll
    for (int row = 0; row < kSubtileHeight; ++row) {
      const float dy = shape.y - s * (y_half + static_cast<float>(row));
      const float dy2 = dy * dy;
      // Half a chord's length; 0 where the circle does not reach the row: both ends are then in one
      // place, or side by side, and out, and nothing is left between them.
      const float chord = approximate_sqrt(fmaxf(r2 - dy2, 0.0f));
      const float first = __fmaf_rn(__saturatef(__fmaf_rn(chord, scale, from_left)), kMost, kRound);
      const float last = __fmaf_rn(__saturatef(__fmaf_rn(chord, scale, from_right)), kMost, kRound);
      const auto is_out = [&](float column) {  // of the word
        const float dx = shape.x - s * (x_half + column);
        return !(dx * dx + dy2 <= r2);
      };
      // Funnel shifts take the lowest five bits of their count.
      const std::uint32_t from_first =
          __funnelshift_l(0, is_out(first - kRound) ? ~1u : ~0u, __float_as_uint(first));
      const std::uint32_t to_last = __funnelshift_r(
          is_out((kRound + kMost) - last) ? ~0u >> 1 : ~0u, 0, __float_as_uint(last));
      const std::uint32_t bits = from_first & to_last;
      if (row % 2 == 0)
        even_row = bits;
      else
        covering[row / 2] = __byte_perm(even_row, bits, 0x6521);  // columns 0 to 15 of both
    }
  }

  __device__ static float approximate_sqrt(float a) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
  }

  /// Turns words of pixels, one a circle, into words of circles, one a pixel (Warren, Hacker's
  /// Delight, 7-3; lanes are rows). Whole bytes are exchanged by one byte permutation.
  __device__ static void transpose(std::uint32_t words[kPixelsPerLane]) {
    const auto exchange = [&](int distance, auto&& merge) {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        words[k] = merge(words[k], __shfl_xor_sync(kAllLanes, words[k], distance));
    };
    const std::uint32_t halves = (lane() & 16) != 0 ? 0x3276 : 0x5410;
    exchange(16, [&](auto own, auto other) { return __byte_perm(own, other, halves); });
    const std::uint32_t bytes = (lane() & 8) != 0 ? 0x3715 : 0x6240;
    exchange(8, [&](auto own, auto other) { return __byte_perm(own, other, bytes); });
    std::uint32_t kept = 0x0f0f0f0f;
#pragma unroll
    for (int distance = 4; distance > 0; distance /= 2) {
      const bool is_upper = (lane() & distance) != 0;
      const int rotation = is_upper ? 32 - distance : distance;
      const std::uint32_t mask = is_upper ? ~kept : kept;
      exchange(distance, [&](auto own, auto other) {
        return (own & mask) | (__funnelshift_l(other, other, rotation) & ~mask);
      });
      kept ^= kept << (distance / 2);
    }
  }

  /// Composites onto the lane's own pixels the circles of the batch that cover them.
  __device__ void paint_covering(SubtilePixels& pixels, std::uint32_t covering[kPixelsPerLane],
                                 bool has_snow) {
    __syncwarp();
    if (has_snow) {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) {
        for (std::uint32_t left = covering[k]; left != 0 && pixels.is_active(k); left &= left - 1) {
          const int i = __ffs(left) - 1;
          const Paint paint = scratch.paints[i];
          const float4 disc = scratch.discs[i];
          const float dx = disc.x - pixels.center_x, dy = disc.y - pixels.center_y[k];
          blend(pixels.state[k], dx * dx, dy * dy, disc.w, paint);
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        for (std::uint32_t left = covering[k]; left != 0 && pixels.is_active(k); left &= left - 1)
          blend_solid(pixels.state[k], scratch.paints[__ffs(left) - 1]);
    }
    __syncwarp();
  }

  __device__ static void blend_solid(SubtilePixels::State& state, const Paint& paint) {
    scalar::composite<L>(state, paint.alpha, paint.red, paint.green, paint.blue);
  }
  __device__ void blend(SubtilePixels::State& state, float dx2, float dy2, float inverse_r2,
                        const Paint& paint) const {
    if (!is_snow(paint)) {
      blend_solid(state, paint);
      return;
    }
    float alpha, red, green;
    scalar::shade_snow<L>(ramp, dx2, dy2, inverse_r2, peak_alpha(paint), alpha, red, green);
    scalar::composite<L>(state, alpha, red, green, 1.0f);
  }
};

}  // namespace roundel::cuda
