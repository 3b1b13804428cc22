// Blending with coverage by area. Included inside HWY_NAMESPACE by blend_tiles.cpp, once a target.

/// Composites batches of circles onto a tile whose pixels they cover by shares. Most of a large
/// circle's blocks it covers all of: their alpha is the circle's. Only the others' shares are
/// computed, those of a few circles at a time, before these are composited without a branch.
template <class State>
class AreaBlender : public TileBlocks<State> {
  using Blocks = TileBlocks<State>;
  using Blocks::args_, Blocks::pixels_, Blocks::column_x_, Blocks::row_y_, Blocks::kLooks;
  using Blocks::blocks, Blocks::collect_active_blocks;
  using Blocks::offset_of, Blocks::load_pixels, Blocks::store_pixels;

 public:
  AreaBlender(const BlendTileArgs& args, Batch& batch) : Blocks(args), batch_(batch) {}

  /// False when all pixels are opaque.
  bool any_active() { return specks_have_pixels_ ? specks_.any_active() : collect_active_blocks(); }

  /// To be called last: the tile's state is complete then.
  void finish() {
    if (specks_have_pixels_) specks_.store();
  }

  /// Blends the batch, whose circles lie behind all before.
  void blend() {
    load_discs();
    if (!kLooks && batch_.largest < AreaSpecks::kLargestRadius * args_.grid.s && batch_.snow == 0 &&
        kLanes > 1 && args_.state.tile_size <= AreaSpecks::kLargestTile) {
      if (!specks_have_pixels_) specks_.load(args_.state, pixels_, args_.grid);
      specks_have_pixels_ = true;
      specks_.blend({batch_.count, x_, y_, radius_, r2_, arc_, bend_, batch_.paints});
      return;
    }
    if (specks_have_pixels_) {
      specks_.store();
      specks_have_pixels_ = false;
      if (!collect_active_blocks()) return;
    }
    if (batch_.largest < kSmallRadius * args_.grid.s) {
      for (int k = 0; k < batch_.count; ++k) blend_small(k);
      return;
    }
    lines_done_ = 0;
    for (const Block& block : blocks()) {
      collect_circles(block);
      std::int32_t left = halvings_left(block.transmittance);
      for (std::uint64_t circles = touching_, run = 0; circles != 0; circles &= ~run) {
        // The circles up to the next one of the other shader.
        const bool is_snow = (batch_.snow >> __builtin_ctzll(circles) & 1) != 0;
        const std::uint64_t others = circles & (is_snow ? ~batch_.snow : batch_.snow);
        run = circles & ((others & (0 - others)) - 1);
        if (is_snow)
          blend_snow_run(run, block, left);
        else
          blend_solid_run(run, block, left);
      }
    }
  }

 private:
  /// In pixels: up to here going from circle to circle is faster than from block to block.
  static constexpr float kSmallRadius = 5;
  /// Circles whose shares are computed before they are composited: with more, more of them are
  /// behind what turns out to be opaque.
  static constexpr int kPart = 16;

  AreaDisc<L> disc_of(int k) const {
    return {L::set(x_[k]),  L::set(y_[k]),   L::set(radius_[k]),
            L::set(r2_[k]), L::set(arc_[k]), L::set(bend_[k])};
  }
  bool is_huge(int k) const { return (huge_ >> k & 1) != 0; }
  bool is_snow_at(int k) const { return (batch_.snow >> k & 1) != 0; }
  AreaSnow<L> snow_of(int k) const {
    return area_snow<L>(L::set(radius_[k]), L::set(peak_alpha(batch_.paints[k])));
  }

  void load_discs() {
    huge_ = 0;
    for (int k = 0; k < batch_.count; k += kLanes) {
      const AreaDisc<L> disc =
          area_disc<L>(hn::Load(kTag, batch_.x + k), hn::Load(kTag, batch_.y + k),
                       hn::Load(kTag, batch_.radius + k), args_.grid.scale);
      hn::Store(disc.x, kTag, x_ + k), hn::Store(disc.y, kTag, y_ + k);
      hn::Store(disc.radius, kTag, radius_ + k), hn::Store(disc.r2, kTag, r2_ + k);
      hn::Store(disc.arc, kTag, arc_ + k), hn::Store(disc.bend, kTag, bend_ + k);
      huge_ |= bits_of(L::greater(disc.radius, L::set(kLargestAreaRadius))) << k;
    }
    for (int k = 0; k < batch_.count; ++k) {
      const float alpha = is_snow_at(k) ? peak_alpha(batch_.paints[k]) : batch_.paints[k].alpha;
      hn::Store(L::set(alpha), kTag, alpha_[k]);
      batch_.cost[k] = halvings_taken(1.0f - alpha);
      if (is_snow_at(k)) batch_.inverse_r2[k] = inverse_square(batch_.radius[k]);
    }
  }

  /// How far circle k's centre is from the tile's grid lines, and half its chords there: what all
  /// of its blocks need. Of the circles that have asked for it.
  void compute_lines(int k) {
    lines_done_ |= std::uint64_t{1} << k;
    const int count = args_.grid.tile_size + 1;
    const auto compute = [&](float center, float origin, float* distances, float* chords) HWY_ATTR {
      for (int i = 0; i < count; i += kLanes) {
        const Vector distance =
            L::sub(hn::Iota(kTag, origin + static_cast<float>(i)), L::set(center));
        hn::Store(distance, kTag, distances + i);
        hn::Store(half_chord<L>(L::set(radius_[k]), L::abs(distance)), kTag, chords + i);
      }
    };
    compute(x_[k], edge_x(0), lines_.x + first_line(k), lines_.chord_x + first_line(k));
    compute(y_[k], edge_y(0), lines_.y + first_line(k), lines_.chord_y + first_line(k));
  }
  int first_line(int k) const { return k * (args_.grid.tile_size + kLanes); }

  float edge_x(int column) const {
    return static_cast<float>(pixels_.x0 + column) + args_.grid.origin_x();
  }
  float edge_y(int row) const {
    return static_cast<float>(pixels_.y0 + row) + args_.grid.origin_y();
  }
  /// Of the pixel from `edge` to edge + 1.
  static HWY_INLINE AreaSpan<L> pixel_span(Vector center, Vector edge) {
    return area_span<L>(L::sub(edge, center), L::sub(L::add(edge, L::set(1.0f)), center));
  }

  /// Which circles of the batch touch a block, and which of them cover all of it.
  void collect_circles(Block block) {
    const Vector left = L::set(edge_x(block.x)), right = L::set(edge_x(block.x + kLanes));
    const Vector bottom = L::set(edge_y(block.y)), top = L::set(edge_y(block.y + kRows));
    touching_ = whole_ = 0;
    for (int k = 0; k < batch_.count; k += kLanes) {
      const Vector cx = hn::Load(kTag, x_ + k), cy = hn::Load(kTag, y_ + k);
      const Vector r2 = hn::Load(kTag, r2_ + k);
      // Rounding is monotonic: no pixel of the block has nearer or farther edges.
      const AreaSpan<L> x = area_span<L>(L::sub(left, cx), L::sub(right, cx));
      const AreaSpan<L> y = area_span<L>(L::sub(bottom, cy), L::sub(top, cy));
      const Vector near2 = L::add(L::mul(x.near, x.near), L::mul(y.near, y.near));
      const Vector far2 = L::add(L::mul(x.far, x.far), L::mul(y.far, y.far));
      touching_ |= bits_of(L::greater(r2, near2)) << k;
      whole_ |= bits_of(L::less_equal(far2, r2)) << k;
      if (kLooks && batch_.rings != 0) {
        const Vector hole =
            area_disc<L>(cx, cy, hn::Load(kTag, batch_.hole + k), args_.grid.scale).r2;
        touching_ &= ~(bits_of(L::less_equal(far2, hole)) << k);
        whole_ &= ~(bits_of(L::greater(hole, near2)) << k);
      }
    }
    const std::uint64_t all = ~std::uint64_t{0} >> (kBatch - batch_.count);
    touching_ = (touching_ | huge_) & all;
    whole_ &= ~huge_;
  }

  /// Times `factor`, the shares of the pixels in the rows of a block.
  void compute_shares(int k, Block block, float* shares, Vector factor) {
    if (!kLooks || (batch_.rings >> k & 1) == 0)
      return compute_disc_shares(k, block, shares, factor);
    compute_disc_shares(k, block, shares, L::set(1.0f));
    for (int row = 0; row < kRows; ++row, shares += kLanes) {
      const Vector share = hn::Load(kTag, shares);
      const Vector ring = ring_share<L>(share, hole_share(k, block.x, block.y + row));
      hn::Store(L::mul(factor, ring), kTag, shares);
    }
  }
  /// Of the hole of circle k, a ring, in a vector of pixels.
  Vector hole_share(int k, int column, int row) const {
    const AreaDisc<L> hole = area_disc<L>(L::set(batch_.x[k]), L::set(batch_.y[k]),
                                          L::set(batch_.hole[k]), args_.grid.scale);
    const Vector dx = L::sub(L::set(batch_.x[k]), hn::Load(kTag, column_x_ + column));
    const Vector dy = L::set(batch_.y[k] - row_y_[row]);
    return pixel_share<L>(
        hole, hn::Iota(kTag, edge_x(column)), L::set(edge_y(row)),
        L::less_equal(squared_distance<L>(dx, dy), L::set(batch_.hole[k] * batch_.hole[k])));
  }
  void compute_disc_shares(int k, Block block, float* shares, Vector factor) {
    if (is_huge(k)) {
      for (int row = 0; row < kRows; ++row)
        hn::Store(L::mul(factor, tested_share(k, block.x, block.y + row)), kTag,
                  shares + std::ptrdiff_t{row} * kLanes);
      return;
    }
    if ((lines_done_ >> k & 1) == 0) compute_lines(k);
    const float* const x = lines_.x + first_line(k) + block.x;
    if (x[0] < 0 && x[kLanes] > 0)
      compute_edge_shares<true>(k, block, shares, factor);
    else
      compute_edge_shares<false>(k, block, shares, factor);
  }
  /// `kHasAxis`: the circle's axis goes through one of the columns.
  template <bool kHasAxis>
  HWY_NOINLINE void compute_edge_shares(int k, Block block, float* shares, Vector factor) const {
    const AreaDisc<L> disc = disc_of(k);
    const float* const lines_x = lines_.x + first_line(k) + block.x;
    const float* const chords_x = lines_.chord_x + first_line(k) + block.x;
    const Vector left = hn::LoadU(kTag, lines_x), right = hn::LoadU(kTag, lines_x + 1);
    const Vector left_chord = hn::LoadU(kTag, chords_x),
                 right_chord = hn::LoadU(kTag, chords_x + 1);
    const Vector zero = L::set(0.0f), longest = half_chord<L>(disc.radius, zero);
    AreaSpan<L> x{L::min(L::abs(left), L::abs(right)), L::max(L::abs(left), L::abs(right)), zero};
    AreaSide<L> main{x.near, x.far, L::max(left_chord, right_chord),
                     L::min(left_chord, right_chord)};
    AreaSide<L> other{zero, zero, zero, zero};
    if constexpr (kHasAxis) {
      x = area_span<L>(left, right);
      main.near = x.near;
      main.near_chord = half_chord<L>(disc.radius, x.near);
      other = area_side<L>(disc.radius, zero, x.other);
    }
    const auto area_above = [&](const AreaSide<L>& side) HWY_ATTR {
      const Vector area = area_in_rectangle<L>(disc, main, side);
      return kHasAxis ? L::add(area, area_in_rectangle<L>(disc, other, side)) : area;
    };
    const float* const lines_y = lines_.y + first_line(k) + block.y;
    const float* const chords_y = lines_.chord_y + first_line(k) + block.y;
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      const Vector lower = L::set(lines_y[row]), upper = L::set(lines_y[row + 1]);
      const Vector lower_chord = L::set(chords_y[row]), upper_chord = L::set(chords_y[row + 1]);
      AreaSide<L> side{L::min(L::abs(lower), L::abs(upper)), L::max(L::abs(lower), L::abs(upper)),
                       L::max(lower_chord, upper_chord), L::min(lower_chord, upper_chord)};
      const bool has_axis = lines_y[row] < 0 && lines_y[row + 1] > 0;
      if (has_axis) side.near = zero, side.near_chord = longest;
      Vector area = area_above(side);
      if (has_axis)
        area = L::add(area, area_above({zero, L::min(L::abs(lower), L::abs(upper)), longest,
                                        L::max(lower_chord, upper_chord)}));
      const Vector share = share_of_area<L>(disc, x, {side.near, side.far, zero}, area);
      hn::Store(L::mul(factor, share), kTag, shares + std::ptrdiff_t{row} * kLanes);
    }
  }
  /// 1 where the coverage test holds, else 0.
  Vector tested_share(int k, int column, int row) const {
    const Vector dx = L::sub(L::set(batch_.x[k]), hn::Load(kTag, column_x_ + column));
    const Vector dy = L::set(batch_.y[k] - row_y_[row]);
    const L::Mask inside =
        L::less_equal(squared_distance<L>(dx, dy), L::set(batch_.radius[k] * batch_.radius[k]));
    return L::zero_unless(inside, L::set(1.0f));
  }

  /// Solid circles of the batch. `left` is how far at least the pixels are from being opaque.
  void blend_solid_run(std::uint64_t circles, Block block, std::int32_t& left) {
    const int first = offset_of(block), stride = args_.state.tile_size;
    alignas(64) float shares[kPart][kRows * kLanes];  // NOLINT: written before it is read
    State rows[kRows];
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) rows[row] = load_pixels(first + row * stride);
    const Vector opaque = L::set(kOpaqueTransmittance);
    while (circles != 0) {
      const int begin = __builtin_ctzll(circles) & -kPart;
      const std::uint64_t part = circles & (((std::uint64_t{1} << kPart) - 1) << begin);
      circles &= ~part;
      for (std::uint64_t edges = part & ~whole_; edges != 0; edges &= edges - 1) {
        const int k = __builtin_ctzll(edges);
        compute_shares(k, block, shares[k - begin], hn::Load(kTag, alpha_[k]));
      }
      const auto paint_all = [&](const auto& alpha_where_active) HWY_ATTR {
        for (std::uint64_t some = part; some != 0; some &= some - 1) {
          const int k = __builtin_ctzll(some);
          const bool is_whole = (whole_ >> k & 1) != 0;
          const float* const alpha = is_whole ? alpha_[k] : shares[k - begin];
          const int row_step = is_whole ? 0 : kLanes;
          const ModePaint<L> paint = paint_of<kLooks>(batch_, k);
#pragma GCC unroll 4
          for (int row = 0; row < kRows; ++row)
            composite<L>(
                rows[row], paint,
                alpha_where_active(row, hn::Load(kTag, alpha + std::ptrdiff_t{row} * row_step)));
        }
      };
      for (std::uint64_t some = part; some != 0 && left > 0; some &= some - 1)
        left -= std::min(left, batch_.cost[__builtin_ctzll(some)]);
      if (left > 0) {
        paint_all([](int, Vector alpha) HWY_ATTR { return alpha; });
        continue;
      }
      paint_all([&](int row, Vector alpha) HWY_ATTR {
        return L::zero_unless(L::greater(most_transmittance<L>(rows[row]), opaque), alpha);
      });
      L::Mask active = L::greater(most_transmittance<L>(rows[0]), opaque);
#pragma GCC unroll 4
      for (int row = 1; row < kRows; ++row)
        active = hn::Or(active, L::greater(most_transmittance<L>(rows[row]), opaque));
      if (L::none(active)) break;
    }
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) store_pixels(rows[row], first + row * stride);
  }

  /// Circles shaded as snow.
  void blend_snow_run(std::uint64_t circles, Block block, std::int32_t& left) {
    left = 0;
    alignas(64) float shares[kRows * kLanes];  // NOLINT: written before it is read
    for (; circles != 0; circles &= circles - 1) {
      const int k = __builtin_ctzll(circles);
      if ((whole_ >> k & 1) != 0)
        std::fill_n(shares, kRows * kLanes, 1.0f);
      else
        compute_shares(k, block, shares, L::set(1.0f));
      const AreaSnow<L> snow = snow_of(k);
      for (int row = 0; row < kRows; ++row)
        paint_snow(k, block.x, block.y + row, hn::Load(kTag, shares + std::ptrdiff_t{row} * kLanes),
                   snow);
    }
  }
  HWY_INLINE void paint_snow(int k, int column, int row, Vector share, const AreaSnow<L>& snow) {
    const int offset = (row << args_.grid.tile_shift) + column;
    State pixels = load_pixels(offset);
    const Vector active_share = L::zero_unless(
        L::greater(most_transmittance<L>(pixels), L::set(kOpaqueTransmittance)), share);
    const Vector dx = L::sub(L::set(batch_.x[k]), hn::Load(kTag, column_x_ + column));
    const Vector dy = L::set(batch_.y[k] - row_y_[row]);
    Vector alpha, red, green;
    shade_area_snow<L>(args_.ramp, snow, L::mul(dx, dx), L::mul(dy, dy),
                       L::set(batch_.inverse_r2[k]), alpha, red, green);
    composite<L>(pixels, {mode_of<kLooks>(batch_, k), red, green, L::set(1.0f)},
                 L::mul(alpha, active_share));
    store_pixels(pixels, offset);
  }

  /// Circle k of the batch over the few rows and vectors that it may touch.
  void blend_small(int k) {
    const PixelRect box = args_.grid.pixel_bounds({batch_.x[k], batch_.y[k], 0, batch_.radius[k]});
    const int first_row = std::max(box.y0, pixels_.y0) - pixels_.y0;
    const int last_row = std::min(box.y1, pixels_.y1) - pixels_.y0;
    const int first_column = std::max(box.x0, pixels_.x0) - pixels_.x0;
    const int last_column = std::min(box.x1, pixels_.x1) - pixels_.x0;
    const AreaDisc<L> disc = disc_of(k);
    const Vector alpha = hn::Load(kTag, alpha_[k]);
    const Vector opaque = L::set(kOpaqueTransmittance), zero = L::set(0.0f);
    const AreaSnow<L> snow = is_snow_at(k) ? snow_of(k) : AreaSnow<L>{zero, zero, zero, zero};
    const ModePaint<L> paint = paint_of<kLooks>(batch_, k);
    for (int column = first_column & -kLanes; column <= last_column; column += kLanes) {
      const AreaSpan<L> x = pixel_span(disc.x, hn::Iota(kTag, edge_x(column)));
      const AreaSide<L> main = area_side<L>(disc.radius, x.near, x.far);
      const AreaSide<L> other = area_side<L>(disc.radius, zero, x.other);
      const auto area_above = [&](const AreaSide<L>& side) HWY_ATTR {
        return L::add(area_in_rectangle<L>(disc, main, side),
                      area_in_rectangle<L>(disc, other, side));
      };
      for (int row = first_row; row <= last_row; ++row) {
        const AreaSpan<L> y = pixel_span(disc.y, L::set(edge_y(row)));
        Vector area = area_above(area_side<L>(disc.radius, y.near, y.far));
        if (edge_y(row) < y_[k] && y_[k] < edge_y(row + 1))
          area = L::add(area, area_above(area_side<L>(disc.radius, zero, y.other)));
        Vector share = share_of_area<L>(disc, x, y, area);
        if (kLooks && (batch_.rings >> k & 1) != 0)
          share = ring_share<L>(share, hole_share(k, column, row));
        if (is_snow_at(k)) {
          paint_snow(k, column, row, share, snow);
          continue;
        }
        const int offset = (row << args_.grid.tile_shift) + column;
        State pixels = load_pixels(offset);
        composite<L>(pixels, paint,
                     L::zero_unless(L::greater(most_transmittance<L>(pixels), opaque),
                                    L::mul(alpha, share)));
        store_pixels(pixels, offset);
      }
    }
  }

  Batch& batch_;
  bool specks_have_pixels_ = false;
  AreaSpecks specks_;
  std::uint64_t huge_ = 0;  ///< those that the coverage test decides: above kLargestAreaRadius
  std::uint64_t touching_ = 0, whole_ = 0;
  alignas(64) float x_[kBatch];  // see AreaDisc
  alignas(64) float y_[kBatch];
  alignas(64) float radius_[kBatch];
  alignas(64) float r2_[kBatch];
  alignas(64) float arc_[kBatch];
  alignas(64) float bend_[kBatch];
  alignas(64) float alpha_[kBatch][kLanes];  ///< in all lanes
  std::uint64_t lines_done_ = 0;             ///< circles with lines; [tile_size + kLanes] each
  struct {
    alignas(64) float x[kBatch * (kLargestTileSize + kLanes)];
    alignas(64) float chord_x[kBatch * (kLargestTileSize + kLanes)];
    alignas(64) float y[kBatch * (kLargestTileSize + kLanes)];
    alignas(64) float chord_y[kBatch * (kLargestTileSize + kLanes)];
  } lines_;
};
