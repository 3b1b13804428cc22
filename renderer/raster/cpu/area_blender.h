// Blending with coverage by area. Included by blend_tiles.cpp for each target.

/// Turns a block's rows into its patches, and back.
template <class V>
HWY_INLINE void regroup_block(V (&block)[kRows]) {
  static_assert(kPatchRows == 1 || kRows == kLanes / kPatchColumns);
  // Found by the arguments' namespace: targets with shorter vectors lack these functions.
  if constexpr (kLanes == 8) {
    const V first = block[0], second = block[1];
    block[0] = ConcatLowerLower(kTag, second, first);
    block[1] = ConcatUpperUpper(kTag, second, first);
  } else if constexpr (kLanes == 16) {
    // Each vector has alternating parts of two rows.
    V pairs[4];
    for (int i = 0; i < 4; i += 2) {
      pairs[i] = OddEvenBlocks(SwapAdjacentBlocks(block[i + 1]), block[i]);
      pairs[i + 1] = OddEvenBlocks(block[i + 1], SwapAdjacentBlocks(block[i]));
    }
    for (int i = 0; i < 2; ++i) {
      block[i] = ConcatLowerLower(kTag, pairs[i + 2], pairs[i]);
      block[i + 2] = ConcatUpperUpper(kTag, pairs[i + 2], pairs[i]);
    }
  }
}

/// Composites batches with coverage by area: circle by circle if they are small, else block by
/// block, with a block's pixels in patches.
template <class State>
class AreaBlender : public SmallAreaBlender<State> {
  using Blocks = TileBlocks<State>;
  using Small = SmallAreaBlender<State>;
  using Blocks::active_blocks;
  using Blocks::args_, Blocks::pixels_, Blocks::column_x_, Blocks::row_y_, Blocks::kStyled;
  using Blocks::offset_of, Blocks::are_blank_;
  using Small::batch_, Small::discs_, Small::has_falloff_at;
  using Small::edge_x, Small::edge_y;
  using Patches = AreaPatches<Blocks::kStyled>;

 public:
  AreaBlender(const BlendTileArgs& args, Batch& batch)
      : Small(args, batch), patches_(batch, discs_, args.grid.scale) {}

  bool any_active() { return specks_have_pixels_ ? specks_.any_active() : Blocks::any_active(); }

  /// Must be called last.
  void finish() {
    if (specks_have_pixels_) specks_.store();
  }

  void blend() {
    discs_.load(batch_, args_.grid.scale);
    if (!kStyled && batch_.largest < kSpeckRadius * args_.grid.s && batch_.falloff == 0 &&
        kLanes > 1 && args_.state.tile_size <= AreaSpecks::kMaxSpeckTile) {
      if (!specks_have_pixels_) specks_.load(args_.state, pixels_, args_.grid);
      specks_have_pixels_ = true;
      specks_.blend({batch_.count, discs_.x, discs_.y, discs_.radius, discs_.r2, discs_.arc,
                     discs_.bend, batch_.paints});
      return;
    }
    if (specks_have_pixels_) {
      specks_.store();
      specks_have_pixels_ = false;
      if (!Blocks::any_active()) return;
    }
    load_alphas();
    if (batch_.largest < Small::kMaxRadius * args_.grid.s) {
      Small::blend();
      return;
    }
    std::span<const Block> rest = active_blocks();
    if (args_.grid.tile_size <= std::min(kCellColumns, kCellRows)) {
      blend_cell(rest);
      return;
    }
    while (!rest.empty()) {
      const Block first = rest.front();
      const auto cell_of = [](int x, int y) { return std::pair(x / kCellColumns, y / kCellRows); };
      const auto end = std::find_if(rest.begin(), rest.end(), [&](const Block& block) {
        return cell_of(block.x, block.y) != cell_of(first.x, first.y);
      });
      const auto count = static_cast<std::size_t>(end - rest.begin());
      blend_cell(rest.first(count));
      rest = rest.subspan(count);
    }
  }

 private:
  /// Radius in pixels. Smaller circles cover too few whole patches for counting.
  static constexpr float kLargeRadius = 20;

  void load_alphas() {
    if (!kStyled && is_first_ && batch_.largest > kLargeRadius * args_.grid.s) {
      float most = 0;
      for (int k = 0; k < batch_.count; ++k)
        if (!has_falloff_at(k)) most = std::max(most, 1.0f - batch_.paints[k].alpha);
      opaque_.start(batch_.count, most, args_.grid.tile_size);
    }
    is_first_ = false;
    for (int k = 0; k < batch_.count; ++k) {
      const float alpha = has_falloff_at(k) ? peak_alpha(batch_.paints[k]) : batch_.paints[k].alpha;
      patches_.set_alpha(k, has_falloff_at(k) ? 1.0f : alpha,
                         !has_falloff_at(k) && opaque_.counts(1.0f - alpha));
      batch_.cost[k] = halvings_taken(1.0f - alpha);
      if (has_falloff_at(k)) {
        mark_soft(batch_, k);
        batch_.inverse_r2[k] = inverse_square(batch_.radius[k]);
      }
    }
  }

  void blend_cell(std::span<const Block> blocks_of_cell) {
    const int column = blocks_of_cell[0].x & -kCellColumns, row = blocks_of_cell[0].y & -kCellRows;
    typename Patches::Cell cell{column,      row, edge_x(column), edge_y(row), column_x_ + column,
                                row_y_ + row};
    const auto column_of = [&](const Block& block) {
      return static_cast<unsigned>(block.x - column);
    };
    const auto row_of = [&](const Block& block) { return static_cast<unsigned>(block.y - row); };
    constexpr int kAllBlocks = kCellColumns / kLanes * (kCellRows / kRows);
    if (static_cast<int>(blocks_of_cell.size()) == kAllBlocks)
      std::fill(std::begin(cell.active), std::end(cell.active), ~std::uint64_t{0});
    else
      for (const Block& block : blocks_of_cell) cell.add_active(column_of(block), row_of(block));
    patches_.compute(cell, opaque_);
    const std::uint64_t falloff = batch_.falloff;
    std::uint64_t touching_of_row[Patches::kBlocksAcross];
    unsigned row_of_blocks = kCellRows;
    for (const Block& block : blocks_of_cell) {
      const unsigned x = column_of(block), y = row_of(block);
      if (y != row_of_blocks) patches_.find_touching(row_of_blocks = y, touching_of_row);
      const std::uint64_t touching = touching_of_row[x / kLanes];
      if (touching == 0) continue;
      float* const first = args_.state.planes + offset_of(block);
      const std::uint16_t* const slots = patches_.slots_of(x, y);
      std::int32_t left = halvings_left(block.transmittance);
      if (falloff == 0) {
        blend_solid_run(touching, first, slots, left, are_blank_);
        continue;
      }
      for (std::uint64_t circles = touching, run = 0; circles != 0; circles &= ~run) {
        run = run_of_shader(batch_, circles);
        if ((run & batch_.soft) != 0)
          blend_falloff_run<true>(run, block, first, slots), left = 0;
        else if ((run & falloff) != 0)
          blend_falloff_run<false>(run, block, first, slots), left = 0;
        else
          left = blend_solid_apart(run, first, slots, left);
      }
    }
  }

  /// Position of a patch in its block, which has as many patches as rows.
  static constexpr unsigned patch_column(unsigned patch) {
    return patch % (kLanes / kPatchColumns) * kPatchColumns;
  }
  static constexpr unsigned patch_row(unsigned patch) {
    return patch / (kLanes / kPatchColumns) * kPatchRows;
  }
  static constexpr unsigned kPlanes = kStyled ? 6 : 4;
  /// `first`: the block's first pixel in the first plane.
  HWY_INLINE void load_block(const float* first, State (&pixels)[kRows]) const {
    const std::size_t plane = args_.state.plane_size();
    Vector planes[kPlanes][kRows];
#pragma GCC unroll 6
    for (unsigned channel = 0; channel < kPlanes; ++channel) {
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i)
        planes[channel][i] = hn::Load(kTag, first + channel * plane + i * args_.state.tile_size);
      regroup_block(planes[channel]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
      pixels[i] =
          Blocks::load_planes([&](std::size_t channel) HWY_ATTR { return planes[channel][i]; });
  }
  HWY_INLINE void store_block(const State (&pixels)[kRows], float* first) const {
    const std::size_t plane = args_.state.plane_size();
    Vector planes[kPlanes][kRows];
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
      Blocks::store_planes(pixels[i], [&](Vector values, std::size_t channel)
                                          HWY_ATTR { planes[channel][i] = values; });
#pragma GCC unroll 6
    for (unsigned channel = 0; channel < kPlanes; ++channel) {
      regroup_block(planes[channel]);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i)
        hn::Store(planes[channel][i], kTag, first + channel * plane + i * args_.state.tile_size);
    }
  }

  /// `left`: lower bound of the halvings until a pixel is opaque; returns the remaining ones.
  /// `is_blank`: nothing is painted yet.
  HWY_INLINE std::int32_t blend_solid_run(std::uint64_t circles, float* first,
                                          const std::uint16_t* slots, std::int32_t left,
                                          bool is_blank) {
    State pixels[kRows];
    if (is_blank)
      for (State& vector : pixels) vector = Blocks::blank_pixels();
    else
      load_block(first, pixels);
    const auto paint_all = [&](int k, const auto& alpha_where_active) HWY_ATTR {
      const ModePaint<L> paint = paint_of<kStyled>(batch_, k);
      const std::uint16_t* const of_circle = slots + k * Patches::kSlots;
#pragma GCC unroll 4
      for (unsigned i = 0; i < kRows; ++i) {
        const Vector alpha = patches_.alpha(of_circle, patch_column(i), patch_row(i));
        composite<L>(pixels[i], paint, alpha_where_active(i, alpha));
      }
    };
    for (; circles != 0; circles &= circles - 1) {
      const int k = __builtin_ctzll(circles);
      if (left <= batch_.cost[k]) break;
      left -= batch_.cost[k];
      paint_all(k, [](unsigned, Vector alpha) HWY_ATTR { return alpha; });
    }
    if (circles != 0) left = 0;
    const Vector opaque = L::set(kOpaqueTransmittance);
    for (; circles != 0; circles &= circles - 1) {
      L::Mask active;
      paint_all(__builtin_ctzll(circles), [&](unsigned i, Vector alpha) HWY_ATTR {
        const L::Mask not_opaque = L::greater(max_transmittance<L>(pixels[i]), opaque);
        active = i == 0 ? not_opaque : hn::Or(active, not_opaque);
        return L::zero_unless(not_opaque, alpha);
      });
      if (L::none(active)) break;
    }
    store_block(pixels, first);
    return left;
  }

  /// Calls blend_solid_run() between circles with falloff, to inline its code only once more.
  HWY_NOINLINE std::int32_t blend_solid_apart(std::uint64_t circles, float* first,
                                              const std::uint16_t* slots, std::int32_t left) {
    return blend_solid_run(circles, first, slots, left, false);
  }

  template <bool kSoft>
  HWY_NOINLINE void blend_falloff_run(std::uint64_t circles, Block block, float* first,
                                      const std::uint16_t* slots) {
    State patches[kRows];
    load_block(first, patches);
    for (; circles != 0; circles &= circles - 1) {
      const int k = __builtin_ctzll(circles);
      const typename Small::template FalloffPainter<kSoft> painter(*this, k);
      const std::uint16_t* const of_circle = slots + k * Patches::kSlots;
      for (unsigned i = 0; i < kRows; ++i) {
        const unsigned column = patch_column(i), row = patch_row(i);
        const Vector dx =
            L::sub(L::set(batch_.x[k]), columns_of_patch(column_x_ + block.x + column));
        const Vector dy = L::sub(L::set(batch_.y[k]), rows_of_patch(row_y_ + block.y + row));
        painter.paint(patches[i], dx, dy, patches_.alpha(of_circle, column, row));
      }
    }
    store_block(patches, first);
  }

  bool specks_have_pixels_ = false;
  AreaSpecks specks_;
  bool is_first_ = true;
  OpaquePatches opaque_;
  Patches patches_;
};
