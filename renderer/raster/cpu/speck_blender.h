// Blending of specks: solid circles of about a pixel. Included by blend_tiles.cpp for each target.

/// Specks, front ones first. The arrays hold whole vectors.
struct Specks {
  int count;
  int side;  ///< pixels, side of the largest box
  const float *x, *y, *radius;
  const std::int32_t *first_x, *first_y;  ///< first pixel of each box in the tile
  const Paint* paints;
};

/// One or two pixels, which is all that a speck covers of a row.
using PairLanes = CappedLanes<8>;

struct LaneTables {
  alignas(32) std::int32_t of_pixels[4][8];  ///< lanes of pixels whose bit is set
  alignas(32) std::int32_t of_light[8];      ///< the last lane of each pixel
};
constexpr LaneTables make_lane_tables() {
  LaneTables tables{};
  for (int lane = 0; lane < 8; ++lane) {
    for (int bits = 0; bits < 4; ++bits) tables.of_pixels[bits][lane] = -(bits >> (lane / 4) & 1);
    tables.of_light[lane] = lane % 4 == 3 ? -1 : 0;
  }
  return tables;
}
constexpr LaneTables kLaneTables = make_lane_tables();

/// A tile's pixels with the four channels of each side by side. A speck covers most of a vector of
/// such neighbours; a vector of one channel has 16 pixels, nearly all outside. Specks may reach
/// kBefore and kAfter pixels beyond the tile.
template <int kBefore, int kAfter>
class SpeckPixels {
 public:
  static constexpr int kMaxSpeckTile = 32;  ///< pixels a side

  /// Takes over `state` until store().
  void load(const TileState& state) {
    state_ = state;
    active_ = 0;
    std::fill_n(channels_, 4 * kPixels, 0.0f);  // pixels outside the tile are opaque
    for_each_vector([&](const float* planes, std::size_t plane, float* channels) HWY_ATTR {
      hn::StoreInterleaved4(hn::Load(kTag, planes), hn::Load(kTag, planes + plane),
                            hn::Load(kTag, planes + 2 * plane), hn::Load(kTag, planes + 3 * plane),
                            kTag, channels);
    });
  }

  void store() {
    for_each_vector([&](float* planes, std::size_t plane, const float* channels) HWY_ATTR {
      Vector red, green, blue, transmittance;
      hn::LoadInterleaved4(kTag, channels, red, green, blue, transmittance);
      hn::Store(red, kTag, planes);
      hn::Store(green, kTag, planes + plane);
      hn::Store(blue, kTag, planes + 2 * plane);
      hn::Store(transmittance, kTag, planes + 3 * plane);
    });
  }

  /// Continues from the pixel that was active in the last call, since opaque ones stay opaque.
  bool any_active() {
    while (active_ < kPixels && channels_[4 * active_ + 3] <= kOpaqueTransmittance) ++active_;
    return active_ < kPixels;
  }

 protected:
  static constexpr int kStride = kBefore + kMaxSpeckTile + kAfter;  ///< pixels from row to row
  static constexpr int kPixels = kStride * kStride;

  float* pixel(int x, int y) {
    return channels_ + std::ptrdiff_t{4} * ((y + kBefore) * kStride + x + kBefore);
  }

 private:
  template <typename Use>
  void for_each_vector(const Use& use) {
    for (int y = 0; y < state_.tile_size; ++y)
      for (int x = 0; x < state_.tile_size; x += kLanes)
        use(state_.planes + std::ptrdiff_t{y} * state_.tile_size + x, state_.plane_size(),
            pixel(x, y));
  }

  TileState state_{};
  int active_ = 0;  ///< all earlier pixels are opaque
  alignas(64) float channels_[4 * kPixels];
};

/// Finds each speck's covered pixels, for a vector of specks at a time, then paints them.
class SpeckBlender : public SpeckPixels<0, 4> {
 public:
  static constexpr int kMaxSide = 4;

  void load(const TileState& state, const PixelRect& pixels, const TileGrid& grid) {
    SpeckPixels::load(state);
    s_ = grid.s;
    // Whole numbers below 2²⁴: exact.
    origin_x_ = static_cast<float>(pixels.x0) + grid.origin_x();
    origin_y_ = static_cast<float>(pixels.y0) + grid.origin_y();
  }

  void blend(const Specks& specks) {
    find_covered(specks);
    for (int k = 0; k < specks.count; ++k) {
      const Shader shader(specks.paints[k]);
      float* const corner = pixel(specks.first_x[k], specks.first_y[k]);
      // Specks rarely cover more than these four pixels; painting them always avoids a mispredicted
      // branch.
      auto covered = static_cast<std::uint32_t>(covered_[k]);
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; x += kGroup) paint(corner, x, y, covered, shader);
      covered &= ~kCornerBits;
      while (covered != 0) {
        const int first = __builtin_ctz(covered);
        const int x = first % kMaxSide & -kGroup, y = first / kMaxSide;
        paint(corner, x, y, covered, shader);
        covered &= ~(kGroupBits << (y * kMaxSide + x));
      }
    }
  }

 private:
  static constexpr int kGroup = hn::MaxLanes(PairLanes::Tag()) < 8 ? 1 : 2;  ///< pixels of a vector
  static constexpr std::uint32_t kGroupBits = (1U << kGroup) - 1;
  static constexpr std::uint32_t kCornerBits = 0x33;

  /// Sets each speck's word of covered_: pixel (x, y) of its box is bit kMaxSide·y + x.
  void find_covered(const Specks& specks) {
    for (int k = 0; k < specks.count; k += kLanes) {
      const Vector x = hn::Load(kTag, specks.x + k), y = hn::Load(kTag, specks.y + k);
      const Vector radius = hn::Load(kTag, specks.radius + k), r2 = L::mul(radius, radius);
      Vector dx2[kMaxSide];
      for (int i = 0; i < specks.side; ++i) dx2[i] = squared(x, specks.first_x + k, origin_x_, i);
      auto covered = hn::Zero(kIntegers);
      for (int j = 0; j < specks.side; ++j) {
        const Vector dy2 = squared(y, specks.first_y + k, origin_y_, j);
        for (int i = 0; i < specks.side; ++i) {
          const L::Mask inside = L::less_equal(L::add(dx2[i], dy2), r2);
          const auto bit = hn::Set(kIntegers, 1 << (kMaxSide * j + i));
          covered = hn::Or(covered, hn::IfThenElseZero(hn::RebindMask(kIntegers, inside), bit));
        }
      }
      hn::Store(covered, kIntegers, covered_ + k);
    }
  }
  /// (center − the centre of pixel first + i)², along x or y.
  HWY_INLINE Vector squared(Vector center, const std::int32_t* first, float origin, int i) const {
    const Vector pixel = hn::ConvertTo(kTag, hn::Load(kIntegers, first));
    const Vector position = L::add(pixel, L::set(origin + static_cast<float>(i)));
    const Vector distance = L::sub(center, pixel_center<L>(position, s_));
    return L::mul(distance, distance);
  }

#if HWY_TARGET == HWY_SCALAR
  struct Shader {
    explicit Shader(const Paint& color) : paint(color) {}
    Paint paint;
  };
  /// Paints pixel (x, y) of a box if its bit is set.
  static void paint(float* corner, int x, int y, std::uint32_t covered, const Shader& shader) {
    float* const at = corner + std::ptrdiff_t{4} * (y * kStride + x);
    if ((covered >> (y * kMaxSide + x) & 1) == 0 || at[3] <= kOpaqueTransmittance) return;
    PixelState<L> pixel{L::set(at[0]), L::set(at[1]), L::set(at[2]), L::set(at[3])};
    composite<L>(pixel, L::set(shader.paint.alpha), L::set(shader.paint.red),
                 L::set(shader.paint.green), L::set(shader.paint.blue));
    at[0] = hn::GetLane(pixel.red), at[1] = hn::GetLane(pixel.green);
    at[2] = hn::GetLane(pixel.blue), at[3] = hn::GetLane(pixel.transmittance);
  }
#else
  using P = PairLanes;
  struct Shader {
    HWY_INLINE explicit Shader(const Paint& paint)
        : alpha(P::set(paint.alpha)),
          color(P::choose(transmittance_lanes(), P::sub(P::set(1.0f), alpha),
                          hn::LoadDup128(P::Tag(), &paint.red))) {}
    P::Float alpha, color;
  };
  static HWY_INLINE P::Mask mask_of(const std::int32_t* lanes) {
    const hn::RebindToSigned<P::Tag> integers;
    return hn::MaskFromVec(hn::BitCast(P::Tag(), hn::Load(integers, lanes)));
  }
  static HWY_INLINE P::Mask transmittance_lanes() {
    return mask_of(kLaneTables.of_light);
  }
  static HWY_INLINE void paint(float* corner, int x, int y, std::uint32_t covered,
                               const Shader& shader) {
    float* const at = corner + std::ptrdiff_t{4} * (y * kStride + x);
    const std::uint32_t bits = covered >> (y * kMaxSide + x) & kGroupBits;
    const P::Float channels = hn::LoadU(P::Tag(), at);
    const P::Float transmittance = hn::Broadcast<3>(channels);
    const P::Mask painted = P::both(mask_of(kLaneTables.of_pixels[bits]),
                                    P::greater(transmittance, P::set(kOpaqueTransmittance)));
    hn::StoreU(composite_channels<P>(channels, transmittance, painted, transmittance_lanes(),
                                     shader.alpha, shader.color),
               P::Tag(), at);
  }
#endif

  float s_ = 0, origin_x_ = 0, origin_y_ = 0;
  alignas(64) std::int32_t covered_[kBatch];
};
