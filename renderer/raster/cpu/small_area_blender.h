// Blending of small circles with coverage by area. Included by blend_tiles.cpp for each target.

/// Composites circles one by one, by rows of the pixels that they may touch.
template <class State>
class SmallAreaBlender : public TileBlocks<State> {
  using Blocks = TileBlocks<State>;

 public:
  /// Radius in pixels up to which circle by circle is faster than block by block.
  static constexpr int kMaxRadius = kLanes < 16 ? 5 : 7;

 protected:
  using Blocks::args_, Blocks::pixels_, Blocks::column_x_, Blocks::row_y_, Blocks::kStyled;

  SmallAreaBlender(const BlendTileArgs& args, Batch& batch) : Blocks(args), batch_(batch) {}

  /// Blends the batch; discs_ must be loaded.
  void blend() {
    Blocks::find_boxes(batch_, boxes_);
    find_axes();
    for (int k = 0; k < batch_.count; ++k) {
      if (is_soft_at(k))
        blend_falloff<true>(k);
      else if (has_falloff_at(k))
        blend_falloff<false>(k);
      else
        blend_solid(k);
    }
  }

  bool has_falloff_at(int k) const { return (batch_.falloff >> k & 1) != 0; }
  bool is_soft_at(int k) const { return (batch_.soft >> k & 1) != 0; }
  /// A circle with falloff at the vectors that it touches.
  template <bool kSoft>
  class FalloffPainter {
   public:
    HWY_INLINE FalloffPainter(const SmallAreaBlender& blender, int k)
        : ramp_(blender.args_.ramp),
          of_circle_(area_falloff<L>(L::set(blender.discs_.radius[k]),
                                     peak_alpha(blender.batch_.paints[k]), kSoft)),
          inverse_r2_(L::set(blender.batch_.inverse_r2[k])),
          color_(paint_of<kStyled>(blender.batch_, k)) {}
    HWY_INLINE void paint(State& pixels, Vector dx, Vector dy, Vector share) const {
      const Vector active_share = L::zero_unless(
          L::greater(max_transmittance<L>(pixels), L::set(kOpaqueTransmittance)), share);
      const Vector dx2 = L::mul(dx, dx), dy2 = L::mul(dy, dy);
      ModePaint<L> color = color_;
      if constexpr (!kSoft) {
        area_snow_color<L>(ramp_, of_circle_, dx2, dy2, inverse_r2_, color.red, color.green);
        color.blue = L::set(1.0f);
      }
      composite<L>(pixels, color,
                   L::mul(area_alpha<L>(of_circle_, dx2, dy2, inverse_r2_), active_share));
    }

   private:
    const SnowRamp& ramp_;
    AreaFalloff<L> of_circle_;
    Vector inverse_r2_;
    ModePaint<L> color_;
  };

  /// Edge of a column or row, in pixels of the whole image.
  float edge_x(int column) const {
    return static_cast<float>(pixels_.x0 + column) + args_.grid.origin_x();
  }
  float edge_y(int row) const {
    return static_cast<float>(pixels_.y0 + row) + args_.grid.origin_y();
  }

  Batch& batch_;
  BatchDiscs discs_;

 private:
  /// Pixels that the circles' axes cut.
  struct Axes {
    alignas(64) std::int32_t pixel[kBatch];  ///< in the tile, or outside
    /// Extent of that pixel on the axis' other side, and half the chord there: see AreaSpan.
    alignas(64) float other[kBatch], other_chord[kBatch];
  };

  void find_axes() {
    const auto find = [&](const AreaDisc<L>& disc, Vector center, float origin, int k,
                          Axes& axes) HWY_ATTR {
      const Vector first = hn::Floor(center);
      const AreaSide<L> side =
          area_side<L>(disc.radius, L::set(0.0f), pixel_span(center, first).other);
      const Vector near =
          L::clamp(first, origin - 1, origin + static_cast<float>(args_.grid.tile_size));
      hn::Store(hn::ConvertTo(kIntegers, L::sub(near, L::set(origin))), kIntegers, axes.pixel + k);
      hn::Store(side.far, kTag, axes.other + k);
      hn::Store(side.far_chord, kTag, axes.other_chord + k);
      return side;
    };
    for (int k = 0; k < batch_.count; k += kLanes) {
      const AreaDisc<L> disc{hn::Load(kTag, discs_.x + k),      hn::Load(kTag, discs_.y + k),
                             hn::Load(kTag, discs_.radius + k), hn::Load(kTag, discs_.r2 + k),
                             hn::Load(kTag, discs_.arc + k),    hn::Load(kTag, discs_.bend + k)};
      const AreaSide<L> x = find(disc, disc.x, edge_x(0), k, columns_);
      const AreaSide<L> y = find(disc, disc.y, edge_y(0), k, rows_);
      hn::Store(x.near_chord, kTag, axis_chord_ + k);
      hn::Store(area_in_rectangle<L>(disc, x, y), kTag, beyond_both_ + k);
    }
  }
  AreaSide<L> other_side(const Axes& axes, int k) const {
    return {L::set(0.0f), L::set(axes.other[k]), L::set(axis_chord_[k]),
            L::set(axes.other_chord[k])};
  }

  void blend_solid(int k) {
    const Vector alpha = L::set(batch_.paints[k].alpha), opaque = L::set(kOpaqueTransmittance);
    const ModePaint<L> paint = paint_of<kStyled>(batch_, k);
    for_each_vector(k, [&](State& pixels, int /*column*/, int /*row*/, Vector share) HWY_ATTR {
      composite<L>(
          pixels, paint,
          L::zero_unless(L::greater(max_transmittance<L>(pixels), opaque), L::mul(alpha, share)));
    });
  }
  template <bool kSoft>
  void blend_falloff(int k) {
    const FalloffPainter<kSoft> painter(*this, k);
    for_each_vector(k, [&](State& pixels, int column, int row, Vector share) HWY_ATTR {
      painter.paint(pixels, L::sub(L::set(batch_.x[k]), hn::LoadU(kTag, column_x_ + column)),
                    L::set(batch_.y[k] - row_y_[row]), share);
    });
  }

  /// Calls blend(pixels, column, row, shares) for each vector that circle k may touch.
  template <class Blend>
  HWY_INLINE void for_each_vector(int k, const Blend& blend) {
    const AreaDisc<L> disc = discs_.at(k);
    const AreaSide<L> other_x = other_side(columns_, k), other_y = other_side(rows_, k);
    const int first_row = boxes_.first_y[k], last_row = boxes_.last_y[k];
    const int last_column = boxes_.last_x[k], axis_row = rows_.pixel[k];
    Rows rows;
    find_rows(disc, other_x, first_row, last_row, rows);
    const Vector zero = L::set(0.0f), beyond_both = L::set(beyond_both_[k]);
    const auto axis_column = hn::Set(kIntegers, columns_.pixel[k]);
    const auto stride = static_cast<std::ptrdiff_t>(args_.state.tile_size);
    const std::size_t plane = args_.state.plane_size();
    for (int column = Blocks::start_of_vectors(boxes_.first_x[k], last_column);
         column <= last_column; column += kLanes) {
      const AreaSpan<L> x = pixel_span(disc.x, hn::Iota(kTag, edge_x(column)));
      const AreaSide<L> main = area_side<L>(disc.radius, x.near, x.far);
      const L::Mask is_axis =
          hn::RebindMask(kTag, hn::Eq(hn::Iota(kIntegers, column), axis_column));
      float* at = args_.state.planes + first_row * stride + column;
      for (int row = first_row; row <= last_row; ++row, at += stride) {
        const int i = row - first_row;
        const AreaSide<L> side{L::set(rows.near[i]), L::set(rows.far[i]),
                               L::set(rows.near_chord[i]), L::set(rows.far_chord[i])};
        // In the order of area_share().
        Vector area = L::add(area_in_rectangle<L>(disc, main, side),
                             L::zero_unless(is_axis, L::set(rows.beyond[i])));
        if (row == axis_row)
          area = L::add(area, L::add(area_in_rectangle<L>(disc, main, other_y),
                                     L::zero_unless(is_axis, beyond_both)));
        Vector share = share_of_area<L>(disc, x, {side.near, side.far, zero}, area);
        if (kStyled && (batch_.rings >> k & 1) != 0)
          share = ring_share<L>(share, share_of_hole(k, x, row));
        State pixels = Blocks::load_pixels(at, plane);
        blend(pixels, column, row, share);
        Blocks::store_pixels(pixels, at, plane);
      }
    }
  }

  /// Sides of a circle in the rows of its box, at most 2·R + 3, stored as whole vectors.
  struct Rows {
    static constexpr int kMaxRows = 2 * kMaxRadius + 4 + kLanes;
    float near[kMaxRows], far[kMaxRows], near_chord[kMaxRows], far_chord[kMaxRows];
    float beyond[kMaxRows];  ///< areas on the other side of the axis, in the column that it cuts
  };
  HWY_INLINE void find_rows(const AreaDisc<L>& disc, const AreaSide<L>& other_x, int first,
                            int last, Rows& rows) const {
    for (int i = 0; i <= last - first; i += kLanes) {
      const AreaSpan<L> y = pixel_span(disc.y, hn::Iota(kTag, edge_y(first + i)));
      const AreaSide<L> side = area_side<L>(disc.radius, y.near, y.far);
      hn::StoreU(side.near, kTag, rows.near + i), hn::StoreU(side.far, kTag, rows.far + i);
      hn::StoreU(side.near_chord, kTag, rows.near_chord + i);
      hn::StoreU(side.far_chord, kTag, rows.far_chord + i);
      hn::StoreU(area_in_rectangle<L>(disc, other_x, side), kTag, rows.beyond + i);
    }
  }
  Vector share_of_hole(int k, const AreaSpan<L>& x, int row) const {
    const AreaDisc<L> hole = area_disc<L>(L::set(batch_.x[k]), L::set(batch_.y[k]),
                                          L::set(batch_.hole[k]), args_.grid.scale);
    return area_share<L>(hole, x, pixel_span(hole.y, L::set(edge_y(row))));
  }

  PixelBoxes boxes_;
  Axes columns_, rows_;
  alignas(64) float axis_chord_[kBatch];   ///< half the chord on an axis
  alignas(64) float beyond_both_[kBatch];  ///< area on the other side of both axes
};
