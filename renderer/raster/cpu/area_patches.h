// Computes a batch's coverage of a cell of pixels, by area. Included by blend_tiles.cpp for each
// target.

struct BatchDiscs {
  alignas(64) float x[kBatch];
  alignas(64) float y[kBatch];
  alignas(64) float radius[kBatch];
  alignas(64) float r2[kBatch];
  alignas(64) float arc[kBatch];
  alignas(64) float bend[kBatch];
  std::uint64_t huge;  ///< radii above kMaxAreaRadius, which the coverage test decides

  void load(const Batch& batch, float scale) {
    huge = 0;
    for (int k = 0; k < batch.count; k += kLanes) {
      const AreaDisc<L> disc =
          area_disc<L>(hn::Load(kTag, batch.x + k), hn::Load(kTag, batch.y + k),
                       hn::Load(kTag, batch.radius + k), scale);
      hn::Store(disc.x, kTag, x + k), hn::Store(disc.y, kTag, y + k);
      hn::Store(disc.radius, kTag, radius + k), hn::Store(disc.r2, kTag, r2 + k);
      hn::Store(disc.arc, kTag, arc + k), hn::Store(disc.bend, kTag, bend + k);
      huge |= bits_of(L::greater(disc.radius, L::set(kMaxAreaRadius))) << k;
    }
  }
  AreaDisc<L> at(int k) const {
    return {L::set(x[k]),  L::set(y[k]),   L::set(radius[k]),
            L::set(r2[k]), L::set(arc[k]), L::set(bend[k])};
  }
};

/// Loads kPatchRows numbers; other lanes are undefined.
HWY_INLINE Vector rows_at(const float* at) {
  if constexpr (kPatchRows == 2) {
    double both;
    std::memcpy(&both, at, sizeof both);
    return hn::BitCast(kTag, hn::Set(hn::Repartition<double, decltype(kTag)>(), both));
  } else {
    return hn::LoadDup128(kTag, at);
  }
}

/// Returns the values of a patch's columns or rows, from `at` on. Reads stay within a vector that
/// was just stored: others would wait for the cache.
HWY_INLINE Vector columns_of_patch(const float* at) {
  return hn::LoadDup128(kTag, at);
}
HWY_INLINE Vector rows_of_patch(const float* at) {
  if constexpr (kPatchRows == 1) {
    return L::set(*at);
  } else {
    alignas(64) static constexpr std::int32_t kRowOfLane[16] = {0, 0, 0, 0, 1, 1, 1, 1,
                                                                2, 2, 2, 2, 3, 3, 3, 3};
    return hn::TableLookupLanes(rows_at(at), hn::SetTableIndices(kTag, kRowOfLane));
  }
}
/// Returns the edges of a patch's columns or rows; `first` is the first one's.
HWY_INLINE Vector column_edges(float first) {
  alignas(16) static constexpr float kColumns[4] = {0, 1, 2, 3};
  return L::add(L::set(first), columns_of_patch(kColumns));
}
HWY_INLINE Vector row_edges(float first) {
  alignas(64) static constexpr float kRowNumbers[16] = {0, 1, 2, 3};
  return L::add(L::set(first), rows_of_patch(kRowNumbers));
}

HWY_INLINE AreaSpan<L> pixel_span(Vector center, Vector edge) {
  return area_span<L>(L::sub(edge, center), L::sub(L::add(edge, L::set(1.0f)), center));
}

/// pixel_span(), mirrored, from both edges: saves an instruction for each edge in memory.
HWY_INLINE AreaSpan<L> mirrored_span(Vector center, Vector edge, Vector next_edge) {
  return area_span<L>(L::sub(center, next_edge), L::sub(center, edge));
}

/// Computes shares circle by circle, only for patches that an edge cuts. `kStyled`: for frames with
/// styles.
template <bool kStyled>
class AreaPatches {
 public:
  static constexpr int kWordRows = OpaquePatches::kWordRows, kWords = OpaquePatches::kWords;

  struct Cell {
    int column, row;                    ///< first pixel in the tile
    float edge_x, edge_y;               ///< its corner in pixels of the image
    const float *column_x, *row_y;      ///< centres
    std::uint64_t active[kWords] = {};  ///< patches of active blocks

    void add_active(unsigned x, unsigned y) { active[word_of(y)] |= patches_of_block(x, y); }
    bool is_active() const {
      std::uint64_t any = 0;
      for (const std::uint64_t patches : active) any |= patches;
      return any != 0;
    }
  };

  AreaPatches(const Batch& batch, const BatchDiscs& discs, float scale)
      : batch_(batch), discs_(discs), scale_(scale) {
    hn::Store(hn::Zero(kTag), kTag, alphas_[0]);
  }

  /// `counts`: OpaquePatches counts the patches that circle k covers.
  void set_alpha(int k, float alpha, bool counts) {
    hn::Store(L::set(alpha), kTag, alphas_[1 + k]);
    counts_[k] = counts;
  }

  /// Call after all set_alpha().
  HWY_NOINLINE void compute(Cell& cell, OpaquePatches& surely) {
    next_ = 1 + kBatch;
    find_reaching(cell);
    load_cell(cell);
    OpaquePatches::Cell& opaque = surely.cell(cell.column, cell.row);
    std::uint64_t circles = 0;
    for (int word = 0; word < kWords; ++word) {
      if (surely.is_counting()) cell.active[word] &= ~opaque.opaque[word];
      circles |= reaching_[word];
    }
    bool is_active = cell.is_active();
    for (; circles != 0 && is_active; circles &= circles - 1) {
      const int k = __builtin_ctzll(circles);
      compute_circle(cell, k, opaque);
      if (counts_[k]) is_active = cell.is_active();
    }
    for (int word = 0; word < kWords; ++word)  // whole vectors, for find_touching()
      for (int k = 0; k < batch_.count || k % kByteLanes != 0; k += 8)
        transpose_touching(kBytes, word, k);
  }

  static constexpr int kBlocksAcross = kCellColumns / kLanes;
  /// Finds the circles that touch each of the blocks that begin in `row`.
  void find_touching(unsigned row, std::uint64_t (&circles)[kBlocksAcross]) const {
    std::fill_n(circles, kBlocksAcross, std::uint64_t{0});
    for (int k = 0; k < batch_.count; k += kByteLanes) {
      auto touched = hn::Load(kBytes, touching_[row / kPatchRows] + k);
      for (unsigned i = kPatchRows; i < kRows; i += kPatchRows)
        touched = hn::Or(touched, hn::Load(kBytes, touching_[(row + i) / kPatchRows] + k));
      for (int i = 0; i < kBlocksAcross; ++i) {
        const auto patches =
            hn::Set(kBytes, static_cast<std::uint8_t>(kFirstBlock % 256 << (i * kBlockColumns)));
        circles[i] |= bits_of(kBytes, hn::Ne(hn::And(touched, patches), hn::Zero(kBytes))) << k;
      }
    }
  }

  /// Returns the first circle's slots for the block at (x, y) of the cell; the next circle's follow
  /// after kSlots.
  const std::uint16_t* slots_of(unsigned x, unsigned y) const {
    return slots_[word_of(y)][0] + patch_of(x, y);
  }
  static constexpr std::ptrdiff_t kSlots = 64;
  /// Returns alpha times the shares of the patch at (x, y) of a block; `slots` are the block's, of
  /// a circle that touches it.
  HWY_INLINE Vector alpha(const std::uint16_t* slots, unsigned x, unsigned y) const {
    const unsigned patch = y / kPatchRows * 8 + x / kPatchColumns;
    return hn::Load(kTag, &alphas_[0][0] + kSlotFloats * slots[patch]);
  }

  AreaDisc<L> hole_of(int k) const {
    return area_disc<L>(L::set(batch_.x[k]), L::set(batch_.y[k]), L::set(batch_.hole[k]), scale_);
  }

 private:
  static constexpr hn::CappedTag<std::uint8_t, kBatch> kBytes{};
  static constexpr int kByteLanes = static_cast<int>(hn::MaxLanes(kBytes));
  static constexpr int kPatches = kCellPatches * (kCellRows / kPatchRows);
  /// Slots count units of 8 bytes, since addressing scales by that for free.
  static constexpr std::ptrdiff_t kSlotFloats = std::min(kLanes, 2);
  static constexpr std::uint16_t slot_of(int vector) {
    return static_cast<std::uint16_t>(vector * (kLanes / kSlotFloats));
  }
  static unsigned word_of(unsigned row) { return row / kWordRows; }
  static unsigned patch_of(unsigned column, unsigned row) {
    return row % kWordRows / kPatchRows * 8 + column / kPatchColumns;
  }
  static constexpr int kBlockColumns = kLanes / kPatchColumns, kBlockRows = kRows / kPatchRows;
  static constexpr std::uint64_t first_block() {
    std::uint64_t patches = 0;
    for (int row = 0; row < kBlockRows; ++row)
      for (int column = 0; column < kBlockColumns; ++column)
        patches |= std::uint64_t{1} << (8 * row + column);
    return patches;
  }
  static constexpr std::uint64_t kFirstBlock = first_block();
  static std::uint64_t patches_of_block(unsigned column, unsigned row) {
    return kFirstBlock << patch_of(column, row);
  }
  HWY_INLINE void compute_circle(Cell& cell, int k, OpaquePatches::Cell& opaque) {
    std::uint64_t edges[kWords], any = 0;
    for (int word = 0; word < kWords; ++word) {
      const bool is_near = (reaching_[word] >> k & 1) != 0 && cell.active[word] != 0;
      any |= edges[word] = is_near ? compute_word(cell, word, k, opaque) : 0;
    }
    if (any != 0) compute_edges(cell, k, edges);
  }
  void find_reaching(const Cell& cell) {
    std::fill_n(reaching_, kWords, discs_.huge);
    for (int k = 0; k < batch_.count; k += kLanes) {
      const auto nearest2 = [&](float edge, int size, const float* centers) HWY_ATTR {
        const Vector center = hn::Load(kTag, centers + k);
        const Vector below = L::sub(L::set(edge), center);
        const Vector above = L::sub(center, L::set(edge + static_cast<float>(size)));
        const Vector near = L::at_least(L::max(below, above), 0.0f);
        return L::mul(near, near);
      };
      const Vector x2 = nearest2(cell.edge_x, kCellColumns, discs_.x);
      for (int word = 0; word < kWords; ++word) {
        const float edge_y = cell.edge_y + static_cast<float>(word * kWordRows);
        const Vector d2 = L::add(x2, nearest2(edge_y, kWordRows, discs_.y));
        reaching_[word] |= bits_of(L::greater(hn::Load(kTag, discs_.r2 + k), d2)) << k;
      }
    }
  }
  HWY_INLINE std::uint64_t compute_word(Cell& cell, int word, int k, OpaquePatches::Cell& opaque) {
    const auto [touching, whole] = find_patches(word, k);
    touching_words_[word][k] = touching;
    const std::uint64_t edges = touching & ~whole & cell.active[word];
    set_whole(cell, word, whole, k, opaque);
    return edges;
  }
  /// Transposes eight circles' words of patches into bytes of circles for each row.
  template <class Tag>
  HWY_INLINE void transpose_touching(Tag /*bytes*/, int word, int k) {
    const std::uint64_t* const from = touching_words_[word] + k;
    if constexpr (hn::MaxLanes(Tag()) == 1) {
      for (int i = 0; i < 64; ++i)
        touching_[8 * word + i / 8][k + i % 8] = static_cast<std::uint8_t>(from[i % 8] >> (i & -8));
    } else {
      const hn::CappedTag<std::uint8_t, 16> tag;
      const hn::Half<decltype(tag)> half;
      const auto load = [&](std::ptrdiff_t i) HWY_ATTR {
        return hn::BitCast(tag, hn::Load(hn::CappedTag<std::uint64_t, 2>(), from + 2 * i));
      };
      auto v0 = load(0), v1 = load(1), v2 = load(2), v3 = load(3);
      for (int i = 0; i < 3; ++i) {  // each rotates a byte's six-bit index by one
        const auto low = v0, high = v1;
        // Found by the arguments' namespace: single lanes lack these functions.
        v0 = InterleaveLower(tag, low, v2), v1 = InterleaveUpper(tag, low, v2);
        v2 = InterleaveLower(tag, high, v3), v3 = InterleaveUpper(tag, high, v3);
      }
      const auto store = [&](int i, auto rows) HWY_ATTR {
        StoreU(LowerHalf(half, rows), half, touching_[8 * word + 2 * i] + k);
        StoreU(UpperHalf(half, rows), half, touching_[8 * word + 2 * i + 1] + k);
      };
      store(0, v0), store(1, v1), store(2, v2), store(3, v3);
    }
  }
  HWY_INLINE void set_whole(Cell& cell, int word, std::uint64_t whole, int k,
                            OpaquePatches::Cell& opaque) {
    set_slots(whole, k, slots_[word][k]);
    if (counts_[k]) cell.active[word] &= ~OpaquePatches::add(whole, word, opaque);
  }
  bool is_huge(int k) const { return (discs_.huge >> k & 1) != 0; }
  bool is_ring(int k) const { return kStyled && (batch_.rings >> k & 1) != 0; }

  void load_cell(const Cell& cell) {
    for (auto& of_word : touching_words_) std::fill_n(of_word, kBatch, std::uint64_t{0});
    for (int i = 0; i < kCellColumns + kLanes; i += kLanes)
      hn::Store(hn::Iota(kTag, cell.edge_x + static_cast<float>(i)), kTag, edge_x_ + i);
    for (int i = 0; i < kCellRows + kLanes; i += kLanes)
      hn::Store(hn::Iota(kTag, cell.edge_y + static_cast<float>(i)), kTag, edge_y_ + i);
    discs_finder_.load(batch_.count, discs_.x, discs_.y, discs_.radius, cell.edge_x, cell.edge_y);
    if (!kStyled || batch_.rings == 0) return;
    alignas(64) float holes[kBatch];
    for (int k = 0; k < batch_.count; k += kLanes)
      hn::Store(L::mul(hn::Load(kTag, batch_.hole + k), L::set(scale_)), kTag, holes + k);
    holes_finder_.load(batch_.count, discs_.x, discs_.y, holes, cell.edge_x, cell.edge_y);
  }
  CoveredPatches find_patches(int word, int k) const {
    if (is_huge(k)) return {~std::uint64_t{0}, 0};
    const CoveredPatches covered = discs_finder_.find(word, k);
    if (!is_ring(k)) return covered;
    const CoveredPatches hole = holes_finder_.find(word, k);
    return {covered.touching & ~hole.whole, covered.whole & ~hole.touching};
  }

  /// Gives the patches of `whole` circle k's alpha, all others 0.
  static HWY_INLINE void set_slots(std::uint64_t whole, int k, std::uint16_t* slots) {
    const hn::CappedTag<std::uint16_t, 16> tag;
    for (std::size_t i = 0; i < 64; i += hn::MaxLanes(tag)) {
      const std::uint64_t bits = whole >> i;
      std::uint8_t bytes[8];
      std::memcpy(bytes, &bits, sizeof bytes);
      const auto mask = hn::LoadMaskBits(tag, bytes);
      hn::Store(hn::IfThenElseZero(mask, hn::Set(tag, slot_of(1 + k))), tag, slots + i);
    }
  }

  HWY_INLINE void compute_edges(const Cell& cell, int k, const std::uint64_t (&edges)[kWords]) {
    const Vector alpha = hn::Load(kTag, alphas_[1 + k]);
    int next = next_;
    const auto fill = [&](int word, std::uint64_t patches, const auto& share_of) HWY_ATTR {
      std::uint16_t* const slots = slots_[word][k];
      for (; patches != 0; patches &= patches - 1) {
        const auto patch = static_cast<unsigned>(__builtin_ctzll(patches));
        slots[patch] = slot_of(next);
        hn::Store(L::mul(alpha, share_of(patch)), kTag, alphas_[next++]);
      }
    };
    if (is_huge(k) || is_ring(k)) {
      for (int word = 0; word < kWords; ++word)
        fill(word, edges[word], [&](unsigned patch) HWY_ATTR {
          return any_share(cell, k, 64 * word + static_cast<int>(patch));
        });
      next_ = next;
      return;
    }
    const AreaDisc<L> disc = discs_.at(k);
    const Axes axes = axes_of(cell, k);
    const Vector zero = L::set(0.0f);
    Sides<kCellColumns> columns;
    for (int i = 0; i < kCellColumns; i += kLanes)
      compute_sides(disc.radius, disc.x, edge_x_, i, columns);
    bool has_other_sides = false;
    AreaSide<L> other_x, other_y;
    for (int word = 0; word < kWords; ++word) {
      if (edges[word] == 0) continue;
      Sides<kWordRows + kLanes> rows;
      for (int i = 0; i < kWordRows; i += kLanes)
        compute_sides(disc.radius, disc.y, edge_y_ + std::ptrdiff_t{word} * kWordRows, i, rows);
      const auto fill_with = [&](const auto axes_through, std::uint64_t patches) HWY_ATTR {
        fill(word, patches, [&](unsigned patch) HWY_ATTR {
          const AreaSide<L> x = column_side(columns, patch), y = row_side(rows, patch);
          const Vector area = area_of_rectangles(disc, x, y, other_x, other_y, axes_through);
          return share_of_area<L>(disc, {x.near, x.far, zero}, {y.near, y.far, zero}, area);
        });
      };
      const std::uint64_t in_columns = edges[word] & axes.columns;
      const std::uint64_t in_rows = edges[word] & axes.rows[word];
      fill_with(Through<false, false>(), edges[word] & ~in_columns & ~in_rows);
      if ((in_columns | in_rows) == 0) continue;
      if (!has_other_sides) {
        const float* const edge_x = edge_x_ + axes.column;
        const float* const edge_y = edge_y_ + axes.row;
        other_x = other_side(
            disc, mirrored_span(disc.x, columns_of_patch(edge_x), columns_of_patch(edge_x + 1)));
        other_y = other_side(
            disc, mirrored_span(disc.y, rows_of_patch(edge_y), rows_of_patch(edge_y + 1)));
        has_other_sides = true;
      }
      fill_with(Through<true, false>(), in_columns & ~in_rows);
      fill_with(Through<false, true>(), in_rows & ~in_columns);
      fill_with(Through<true, true>(), in_columns & in_rows);
    }
    next_ = next;
  }

  /// Patches that a circle's axes cut, and the first pixels of these.
  struct Axes {
    std::uint64_t columns = 0;  ///< equal for each word
    std::uint64_t rows[kWords] = {};
    unsigned column = 0, row = 0;
  };
  Axes axes_of(const Cell& cell, int k) const {
    const float x = discs_.x[k] - cell.edge_x, y = discs_.y[k] - cell.edge_y;
    Axes axes;
    if (x > 0 && x < kCellColumns) {
      axes.column = static_cast<unsigned>(x) / kPatchColumns * kPatchColumns;
      axes.columns = std::uint64_t{0x0101010101010101} << axes.column / kPatchColumns;
    }
    if (y > 0 && y < kCellRows) {
      axes.row = static_cast<unsigned>(y) / kPatchRows * kPatchRows;
      axes.rows[word_of(axes.row)] = std::uint64_t{0xff} << patch_of(0, axes.row);
    }
    return axes;
  }
  /// Axes that cut a patch: across its columns, across its rows.
  template <bool kFirst, bool kSecond>
  struct Through {
    static constexpr bool kOfColumns = kFirst, kOfRows = kSecond;
  };
  /// Adds up the rectangles' areas in the order of area_share().
  template <class Axes>
  static HWY_INLINE Vector area_of_rectangles(const AreaDisc<L>& disc, const AreaSide<L>& x,
                                              const AreaSide<L>& y, const AreaSide<L>& other_x,
                                              const AreaSide<L>& other_y, Axes /*axes*/) {
    const auto in_rows = [&](const AreaSide<L>& side) HWY_ATTR {
      const Vector area = area_in_rectangle<L>(disc, x, side);
      return Axes::kOfColumns ? L::add(area, area_in_rectangle<L>(disc, other_x, side)) : area;
    };
    return Axes::kOfRows ? L::add(in_rows(y), in_rows(other_y)) : in_rows(y);
  }
  static HWY_INLINE AreaSide<L> other_side(const AreaDisc<L>& disc, const AreaSpan<L>& span) {
    return area_side<L>(disc.radius, L::set(0.0f), span.other);
  }

  /// Sides of a circle for columns or rows; the main side of those that its axis cuts.
  template <std::size_t kSize>
  struct Sides {
    alignas(64) float near[kSize], far[kSize], near_chord[kSize], far_chord[kSize];
  };
  template <std::size_t kSize>
  static HWY_INLINE void compute_sides(Vector radius, Vector center, const float* edges, int i,
                                       Sides<kSize>& sides) {
    const AreaSpan<L> span =
        mirrored_span(center, hn::Load(kTag, edges + i), hn::LoadU(kTag, edges + i + 1));
    const AreaSide<L> side = area_side<L>(radius, span.near, span.far);
    hn::Store(side.near, kTag, sides.near + i), hn::Store(side.far, kTag, sides.far + i);
    hn::Store(side.near_chord, kTag, sides.near_chord + i);
    hn::Store(side.far_chord, kTag, sides.far_chord + i);
  }
  static HWY_INLINE AreaSide<L> column_side(const Sides<kCellColumns>& columns, unsigned patch) {
    const unsigned i = patch % 8 * kPatchColumns;
    return {columns_of_patch(columns.near + i), columns_of_patch(columns.far + i),
            columns_of_patch(columns.near_chord + i), columns_of_patch(columns.far_chord + i)};
  }
  static HWY_INLINE AreaSide<L> row_side(const Sides<kWordRows + kLanes>& rows, unsigned patch) {
    const unsigned i = patch / 8 * kPatchRows;
    return {rows_of_patch(rows.near + i), rows_of_patch(rows.far + i),
            rows_of_patch(rows.near_chord + i), rows_of_patch(rows.far_chord + i)};
  }

  /// Computes shares for rings and for circles too large for areas.
  HWY_NOINLINE Vector any_share(const Cell& cell, int k, int patch) const {
    const int column = patch % 8 * kPatchColumns, row = patch / 8 * kPatchRows;
    const Vector edge_x = column_edges(cell.edge_x + static_cast<float>(column));
    const Vector edge_y = row_edges(cell.edge_y + static_cast<float>(row));
    const Vector dx = L::sub(L::set(batch_.x[k]), columns_of_patch(cell.column_x + column));
    const Vector dy = L::sub(L::set(batch_.y[k]), rows_of_patch(cell.row_y + row));
    const Vector d2 = squared_distance<L>(dx, dy);
    const auto share_within = [&](const AreaDisc<L>& disc, float radius) HWY_ATTR {
      return pixel_share<L>(disc, edge_x, edge_y, L::less_equal(d2, L::set(radius * radius)));
    };
    const Vector share = share_within(discs_.at(k), batch_.radius[k]);
    if (!is_ring(k)) return share;
    return ring_share<L>(share, share_within(hole_of(k), batch_.hole[k]));
  }
  const Batch& batch_;
  const BatchDiscs& discs_;
  const float scale_;
  alignas(64) std::uint64_t touching_words_[kWords][kBatch];           ///< a bit for each patch
  alignas(64) std::uint8_t touching_[kCellRows / kPatchRows][kBatch];  ///< a bit for each patch
  alignas(64) std::uint16_t slots_[kWords][kBatch][64];  ///< slots in alphas_, see slot_of()
  bool counts_[kBatch];
  alignas(64) float edge_x_[kCellColumns + kLanes];  ///< the cell's columns and some more
  alignas(64) float edge_y_[kCellRows + kLanes];
  PatchFinder discs_finder_, holes_finder_;
  std::uint64_t reaching_[kWords];  ///< circles that reach each word
  int next_ = 0;                    ///< next free vector of alphas_
  /// 0, the circles' alphas, then those of patches that edges cut.
  alignas(64) float alphas_[1 + kBatch + kBatch * kPatches][kLanes];
  static_assert(sizeof alphas_ / sizeof(float) / kSlotFloats <= 1 << 16);
};
