// Blending of specks with coverage by area: solid circles of about a pixel. Included by
// blend_tiles.cpp for each target.

/// Discs of a batch (see AreaDisc); arrays have an extra vector.
struct SpeckDiscs {
  int count;
  const float *x, *y, *radius, *r2, *arc, *bend;
  const Paint* paints;
};

/// Specks lie in the pixel of their centre and the eight around it, rarely beyond. Shares are
/// computed for a vector of circles at a time, from chords along grid lines. The axes cut the nine
/// pixels into 16 rectangles.
class AreaSpecks : public SpeckPixels<3, 5> {
 public:
  void load(const TileState& state, const PixelRect& pixels, const TileGrid& grid) {
    SpeckPixels::load(state);
    origin_x_ = static_cast<float>(pixels.x0) + grid.origin_x();
    origin_y_ = static_cast<float>(pixels.y0) + grid.origin_y();
  }

  void blend(const SpeckDiscs& specks) {
    for (int k = 0; k < specks.count; k += kLanes) compute_shares(specks, k);
    for (int k = 0; k < specks.count; ++k) {
      const Paint& paint = specks.paints[k];
      for (int row = 0; row < 3; ++row) {
        float* const at = pixel(middle_x_[k] - 1, middle_y_[k] + row - 1);
        const auto alpha = [&](int column) { return paint.alpha * shares_[3 * row + column][k]; };
        paint_pair(at, alpha(0), alpha(1), paint);
        paint_pair(at + 8, alpha(2), 0.0f, paint);
      }
      if (reaches_farther_[0][k] != 0) blend_farther(specks, k, true);
      if (reaches_farther_[1][k] != 0) blend_farther(specks, k, false);
    }
  }

 private:
  /// Lines along one axis: the centre's pixel and its two neighbours, mirrored to both sides.
  struct Lines {
    AreaSide<L> sides[2][2];  ///< [low, high][centre's pixel, next]
    AreaSpan<L> spans[3];
    L::Mask reaches_farther;
  };
  static HWY_INLINE Lines lines_of(Vector center, Vector pixel, Vector radius) {
    const Vector one = L::set(1.0f);
    const auto side = [&](Vector first, Vector second, AreaSide<L>(&sides)[2]) HWY_ATTR {
      const Vector chord = half_chord<L>(radius, first);
      sides[0] = {L::set(0.0f), first, half_chord<L>(radius, L::set(0.0f)), chord};
      sides[1] = {first, second, chord, half_chord<L>(radius, second)};
    };
    const Vector next = L::add(pixel, one);
    const Vector low = L::sub(center, pixel), low2 = L::sub(center, L::sub(pixel, one));
    const Vector high = L::sub(next, center), high2 = L::sub(L::add(next, one), center);
    Lines lines;
    side(low, low2, lines.sides[0]);
    side(high, high2, lines.sides[1]);
    lines.spans[0] = {low, low2, low};
    lines.spans[1] = {L::set(0.0f), L::max(low, high), L::set(0.0f)};
    lines.spans[2] = {high, high2, high};
    lines.reaches_farther = L::greater(radius, L::min(low2, high2));
    return lines;
  }

  void compute_shares(const SpeckDiscs& specks, int k) {
    const AreaDisc<L> disc{hn::Load(kTag, specks.x + k),      hn::Load(kTag, specks.y + k),
                           hn::Load(kTag, specks.radius + k), hn::Load(kTag, specks.r2 + k),
                           hn::Load(kTag, specks.arc + k),    hn::Load(kTag, specks.bend + k)};
    // Specks that do not reach the tile may get any position outside it.
    const Vector column = L::clamp(hn::Floor(disc.x), origin_x_ - 2, origin_x_ + kMaxSpeckTile + 1);
    const Vector line = L::clamp(hn::Floor(disc.y), origin_y_ - 2, origin_y_ + kMaxSpeckTile + 1);
    const Lines x = lines_of(disc.x, hn::Floor(disc.x), disc.radius);
    const Lines y = lines_of(disc.y, hn::Floor(disc.y), disc.radius);
    const auto to_integer = [](Vector position, float origin) HWY_ATTR {
      return hn::ConvertTo(kIntegers, L::sub(position, L::set(origin)));
    };
    hn::Store(to_integer(column, origin_x_), kIntegers, middle_x_ + k);
    hn::Store(to_integer(line, origin_y_), kIntegers, middle_y_ + k);
    const auto to_integers = [](L::Mask mask) HWY_ATTR {
      return hn::VecFromMask(kIntegers, hn::RebindMask(kIntegers, mask));
    };
    hn::Store(to_integers(x.reaches_farther), kIntegers, reaches_farther_[0] + k);
    hn::Store(to_integers(y.reaches_farther), kIntegers, reaches_farther_[1] + k);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        const Vector area =
            j != 1 ? area_of(disc, x, i, y.sides[j / 2][1])
                   : L::add(area_of(disc, x, i, y.sides[0][0]), area_of(disc, x, i, y.sides[1][0]));
        hn::Store(share_of_area<L>(disc, x.spans[i], y.spans[j], area), kTag,
                  shares_[3 * j + i] + k);
      }
    }
  }
  /// Area in column i and a row's side, in the order of area_share().
  static HWY_INLINE Vector area_of(const AreaDisc<L>& disc, const Lines& x, int i,
                                   const AreaSide<L>& side) {
    if (i != 1) return area_in_rectangle<L>(disc, x.sides[i / 2][1], side);
    return L::add(area_in_rectangle<L>(disc, x.sides[0][0], side),
                  area_in_rectangle<L>(disc, x.sides[1][0], side));
  }

  /// Paints the pixels that speck k reaches outside the nine: in the columns beside them if
  /// `along_x`, else in the rows. No pixel is two away in both directions.
  void blend_farther(const SpeckDiscs& specks, int k, bool along_x) {
    constexpr int kFarther = 6;
    alignas(32) static constexpr float kFar[8] = {-2, -2, -2, 2, 2, 2, 9, 9};
    alignas(32) static constexpr float kNear[8] = {-1, 0, 1, -1, 0, 1, 9, 9};
    const float* const columns = along_x ? kFar : kNear;
    const float* const rows = along_x ? kNear : kFar;
    const float left = std::floor(specks.x[k]), bottom = std::floor(specks.y[k]);
    const AreaDisc<L> disc{L::set(specks.x[k]),  L::set(specks.y[k]),   L::set(specks.radius[k]),
                           L::set(specks.r2[k]), L::set(specks.arc[k]), L::set(specks.bend[k])};
    const Paint& paint = specks.paints[k];
    using FarTag = hn::CappedTag<float, 8>;
    constexpr int kFarLanes = static_cast<int>(hn::MaxLanes(FarTag()));
    alignas(64) float edges_x[kLanes] = {}, edges_y[kLanes] = {}, shares[kLanes];
    for (int first = 0; first < kFarther; first += kFarLanes) {
      for (int i = 0; i < kFarLanes; ++i) {
        edges_x[i] = left + columns[first + i];
        edges_y[i] = bottom + rows[first + i];
      }
      const Vector edge_x = hn::Load(kTag, edges_x), edge_y = hn::Load(kTag, edges_y);
      hn::Store(pixel_share<L>(disc, edge_x, edge_y, L::greater(edge_x, edge_x)), kTag, shares);
      for (int i = 0; i < kFarLanes && first + i < kFarther; ++i) {
        const int x = static_cast<int>(edges_x[i] - origin_x_);
        const int y = static_cast<int>(edges_y[i] - origin_y_);
        if (shares[i] > 0 && x >= 0 && y >= 0 && x < kMaxSpeckTile && y < kMaxSpeckTile)
          paint_pair(pixel(x, y), paint.alpha * shares[i], 0.0f, paint);
      }
    }
  }

#if HWY_TARGET == HWY_SCALAR
  static void paint_pair(float*, float, float, const Paint&) {}  // never called: see AreaBlender
#else
  using P = PairLanes;
  static HWY_INLINE P::Mask mask_of(const std::int32_t* lanes) {
    const hn::RebindToSigned<P::Tag> integers;
    return hn::MaskFromVec(hn::BitCast(P::Tag(), hn::Load(integers, lanes)));
  }
  static HWY_INLINE void paint_pair(float* at, float first, float second, const Paint& paint) {
    if constexpr (hn::MaxLanes(P::Tag()) < 8) {
      paint_vector(at, P::set(first), paint);
      paint_vector(at + 4, P::set(second), paint);
    } else {
      paint_vector(at, P::choose(mask_of(kLaneTables.of_pixels[1]), P::set(first), P::set(second)),
                   paint);
    }
  }
  static HWY_INLINE void paint_vector(float* at, P::Float alpha, const Paint& paint) {
    const P::Mask is_transmittance = mask_of(kLaneTables.of_light);
    const P::Float channels = hn::LoadU(P::Tag(), at);
    const P::Float transmittance = hn::Broadcast<3>(channels);
    const P::Mask active = P::greater(transmittance, P::set(kOpaqueTransmittance));
    const P::Float color = P::choose(is_transmittance, P::sub(P::set(1.0f), alpha),
                                     hn::LoadDup128(P::Tag(), &paint.red));
    hn::StoreU(
        composite_channels<P>(channels, transmittance, active, is_transmittance, alpha, color),
        P::Tag(), at);
  }
#endif

  float origin_x_ = 0, origin_y_ = 0;
  alignas(64) std::int32_t middle_x_[kBatch];  ///< in the tile, or outside
  alignas(64) std::int32_t middle_y_[kBatch];
  alignas(64) std::int32_t reaches_farther_[2][kBatch];  ///< beyond the nine, along x and y
  alignas(64) float shares_[9][kBatch];                  ///< nine pixels, row by row
};
