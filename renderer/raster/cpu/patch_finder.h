// Finds the patches of a cell that circles touch or cover. Included by blend_tiles.cpp for each
// target.

/// A bit for each patch of a word, see OpaquePatches. May have too many touching and too few whole
/// patches: the shares of these come out as 0 and 1.
struct CoveredPatches {
  std::uint64_t touching, whole;
};

/// Uses the chords nearest to the centre and farthest from it in each row of patches. Unit: a
/// patch's width.
class PatchFinder {
 public:
  PatchFinder() {
    for (int i = 0; i < 8 * kWords; ++i) middles_[i] = (static_cast<float>(i) + 0.5f) * kHeight;
  }

  /// Loads discs in pixels, with the first edges of their cell. Reads whole vectors.
  void load(int count, const float* x, const float* y, const float* radius, float edge_x,
            float edge_y) {
    const Vector width = L::set(1.0f / kPatchColumns), width2 = L::mul(width, width);
    for (int k = 0; k < count; k += kLanes) {
      const auto patches_from = [&](float edge, const float* centers) HWY_ATTR {
        return L::mul(L::sub(hn::Load(kTag, centers + k), L::set(edge)), width);
      };
      // Exceeds the rounding of these lines and of the exact test.
      const Vector r = hn::Load(kTag, radius + k), r2 = L::mul(r, r), tiny = L::set(0x1p-20f);
      const Vector margin = L::add(L::set(0x1p-8f), L::mul(r, tiny)), margin2 = L::mul(r2, tiny);
      const Vector half = L::add(L::set(0.5f), L::mul(margin, width));
      const Vector column = patches_from(edge_x, x);
      hn::Store(L::sub(column, half), kTag, low_ + k);
      hn::Store(L::add(column, half), kTag, high_ + k);
      hn::Store(patches_from(edge_y, y), kTag, y_ + k);
      hn::Store(L::mul(L::add(r2, margin2), width2), kTag, outer2_ + k);
      hn::Store(L::mul(L::sub(r2, margin2), width2), kTag, inner2_ + k);
    }
  }

  /// Finds the patches of a word of the cell, for radii up to kMaxAreaRadius.
  HWY_INLINE CoveredPatches find(int word, int k) const {
    const auto half = Rows::set(0.5f * kHeight), zero = Rows::set(0.0f);
    const auto y = Rows::set(y_[k]), low = Rows::set(low_[k]), high = Rows::set(high_[k]);
    std::uint32_t rows[4];  // for four rows at a time: touched, then whole patches
    for (std::size_t i = 0; i < 8; i += kRowsAtOnce) {
      const float* const middles = middles_ + 8 * static_cast<std::size_t>(word) + i;
      const auto distance = Rows::abs(Rows::sub(y, hn::Load(kRowTag, middles)));
      const auto near = Rows::max(Rows::sub(distance, half), zero);
      const auto far = Rows::add(distance, half);
      const auto outer2 = hn::NegMulAdd(near, near, Rows::set(outer2_[k]));
      const auto inner2 = hn::NegMulAdd(far, far, Rows::set(inner2_[k]));
      const auto outer = Rows::sqrt(Rows::max(outer2, zero));
      const auto inner = Rows::sqrt(Rows::max(inner2, zero));
      const auto end = Rows::zero_unless(Rows::greater(outer2, zero), Rows::add(high, outer));
      auto* const bytes = reinterpret_cast<std::uint8_t*>(rows + i / 4 * 2) + i % 4;
      store_ranges(kRowTag, {Rows::sub(low, outer), end},
                   {Rows::sub(high, inner), Rows::add(low, inner)}, bytes);
    }
    return {rows[0] | std::uint64_t{rows[2]} << 32, rows[1] | std::uint64_t{rows[3]} << 32};
  }

 private:
  using Rows = CappedLanes<8>;
  static constexpr Rows::Tag kRowTag{};
  static constexpr std::size_t kRowsAtOnce = hn::MaxLanes(kRowTag);
  static constexpr int kWords = OpaquePatches::kWords;
  static constexpr float kHeight = static_cast<float>(kPatchRows) / kPatchColumns;  ///< a patch's

  /// Patches of rows, [first, end), rounded to whole numbers.
  struct Range {
    Rows::Float first, end;
  };
  template <class Tag>
  static HWY_INLINE auto round(Tag tag, hn::Vec<Tag> number) {
    const hn::RebindToSigned<Tag> integers;
    // Rounds to a whole number in the lowest bits.
    const auto shift = hn::Set(tag, 0x1.8p23f);
    return hn::Sub(hn::BitCast(integers, hn::Add(number, shift)), hn::BitCast(integers, shift));
  }
  /// Stores a byte for each row, at to[0] and at to[4]; vectors have four rows.
  template <class Tag>
  static HWY_INLINE void store_ranges(Tag tag, Range touched, Range whole, std::uint8_t* to) {
    if constexpr (hn::MaxLanes(tag) == 1) {
      const auto below = [&](hn::Vec<Tag> number) HWY_ATTR {
        return (1 << std::clamp(hn::GetLane(round(tag, number)), 0, 8)) - 1;
      };
      to[0] = static_cast<std::uint8_t>(below(touched.end) & ~below(touched.first));
      to[4] = static_cast<std::uint8_t>(below(whole.end) & ~below(whole.first));
    } else {
      const hn::Repartition<std::int16_t, Tag> words;
      const hn::Rebind<std::uint8_t, decltype(words)> bytes;
      alignas(16) static constexpr std::uint8_t kBelow[16] = {0, 1, 3, 7, 15, 31, 63, 127, 255};
      const auto below = [&](hn::Vec<Tag> of_touched, hn::Vec<Tag> of_whole) HWY_ATTR {
        // Found by the arguments' namespace: single lanes lack these functions. Each 128 bits have
        // four touched, then four whole ones; out of range they become 0 and 255.
        const auto numbers =
            DemoteTo(bytes, ReorderDemote2To(words, round(tag, of_touched), round(tag, of_whole)));
        return TableLookupBytes(hn::Load(hn::CappedTag<std::uint8_t, 16>(), kBelow),
                                Min(numbers, Set(bytes, std::uint8_t{8})));
      };
      hn::StoreU(AndNot(below(touched.first, whole.first), below(touched.end, whole.end)), bytes,
                 to);
    }
  }

  alignas(64) float middles_[8 * kWords];  ///< centres of rows of patches
  /// Half a patch and a margin left and right of the centres.
  alignas(64) float low_[kBatch], high_[kBatch];
  alignas(64) float y_[kBatch];                        ///< centres of the circles
  alignas(64) float outer2_[kBatch], inner2_[kBatch];  ///< radius² ± a margin
};
