// The circles of one tile's list, batch by batch. Included inside HWY_NAMESPACE by blend_tiles.cpp,
// once a target.

/// Circles of a tile's list that are worked on at once: the bits of one word. Front ones first.
constexpr int kBatch = 64;
/// Radius in pixels below which solid circles are specks, if no circle of the frame has looks.
constexpr float kSpeckRadius = 1.3f;
struct Batch {
  int count;
  float largest;       ///< radius
  std::uint64_t snow;  ///< bit k: circle k is shaded as snow
  // Of frames with looks.
  std::uint64_t rings;                       ///< bit k: circle k is a ring
  BlendMode modes[kBatch];                   ///< the paints have no signs for them any more
  alignas(64) float hole[kBatch + kLanes];   ///< radius of a ring's hole, else 0
  alignas(64) float hole2[kBatch + kLanes];  ///< hole_square()
  // Loaded as whole vectors from anywhere on: with room for what lies beyond the last circle.
  alignas(64) float x[kBatch + kLanes];
  alignas(64) float y[kBatch + kLanes];
  alignas(64) float radius[kBatch + kLanes];
  alignas(64) float one_minus_alpha[kBatch + kLanes];  ///< 1 − alpha, of solid circles
  alignas(64) float r2[kBatch];                        ///< radius², or negative beyond `count`
  alignas(64) float inverse_r2[kBatch];   ///< inverse_square(radius), of those shaded as snow
  alignas(64) float peak_alpha[kBatch];   ///< and their alpha at the centre
  alignas(64) std::int32_t cost[kBatch];  ///< halvings_taken(one_minus_alpha)
  Paint paints[kBatch + kLanes];
};

/// Circle k's colour, and how it is blended: over, without looks.
template <bool kLooks>
HWY_INLINE BlendMode mode_of(const Batch& batch, int k) {
  return kLooks ? batch.modes[k] : BlendMode::kOver;
}
template <bool kLooks>
HWY_INLINE ModePaint<L> paint_of(const Batch& batch, int k) {
  const Paint& paint = batch.paints[k];
  return {mode_of<kLooks>(batch, k), L::set(paint.red), L::set(paint.green), L::set(paint.blue)};
}

/// One bit a lane.
template <class Tag>
HWY_INLINE std::uint64_t bits_of(Tag tag, hn::Mask<Tag> mask) {
  // No longer than the lanes' bits: those beyond are 0 without an instruction.
  hwy::UnsignedFromSize<(hn::MaxLanes(tag) + 7) / 8> bits;
  std::uint8_t bytes[8];  // StoreMaskBits may write all of them
  hn::StoreMaskBits(tag, mask, bytes);
  __builtin_memcpy(&bits, bytes, sizeof bits);
  return bits;
}
HWY_INLINE std::uint64_t bits_of(L::Mask mask) {
  return bits_of(kTag, mask);
}

/// `kLooks`: of frames with looks.
template <bool kLooks>
class BatchLoader {
 public:
  explicit BatchLoader(const BlendTileArgs& args) : args_(args), slab_(args.slabs.size()) {}

  /// Takes the next circles, up to kBatch. False when there are no more.
  bool load(Batch& batch) {
    batch.count = 0;
    batch.snow = batch.rings = 0;
    batch.largest = 0;
    while (batch.count < kBatch && (left_ > 0 || next_piece()))
      args_.is_band() ? take_of_band(batch) : take(batch);
    for (int k = batch.count; k % kLanes != 0; ++k) batch.x[k] = batch.y[k] = batch.radius[k] = 0;
    for (int k = batch.count; kLooks && k % kLanes != 0; ++k) batch.hole[k] = 0;
    return batch.count > 0;
  }

  /// True only when there are no more circles.
  bool is_done() const { return left_ == 0 && slab_ == 0; }

 private:
  /// Adds the next circles of the slab.
  void take(Batch& batch) {
    const SlabLists& slab = args_.slabs[slab_];
    const auto count = std::min(static_cast<std::uint32_t>(kBatch - batch.count), left_);
    const std::uint32_t first = slab.offsets[args_.bin() + 1] - left_;
    if (slab.shapes != nullptr && !kLooks) {
      load_circles(batch, slab.shapes + first, slab.paints + first, static_cast<int>(count));
    } else if (slab.shapes != nullptr) {
      for (std::uint32_t i = first; i < first + count; ++i)
        load_circle(batch, slab.shapes[i], slab.paints[i]);
    } else {
      for (std::uint32_t i = first; i < first + count; ++i)
        load_circle(batch, args_.shapes[slab.indices[i]], args_.paints[slab.indices[i]]);
    }
    left_ -= count;
  }

  /// The same without those that cover no pixel of the band's rows. Looks at up to kBatch circles;
  /// those that the batch has no room for are left for the next one.
  void take_of_band(Batch& batch) {
    const SlabLists& slab = args_.slabs[slab_];
    const auto count = std::min<std::uint32_t>(kBatch, left_);
    const std::uint32_t first = slab.offsets[args_.bin() + 1] - left_;
    const bool are_copies = slab.shapes != nullptr;
    Shape gathered[kBatch + kLanes], kept_shapes[kBatch + kLanes];
    Paint kept_paints[kBatch + kLanes];
    for (std::uint32_t i = 0; !are_copies && i < count; ++i)
      gathered[i] = args_.shapes[slab.indices[first + i]];
    const Shape* const shapes = are_copies ? slab.shapes + first : gathered;
    std::uint64_t reaching = reaching_rows(shapes, static_cast<int>(count));
    const int space = kBatch - batch.count;
    int kept = 0;
    for (; reaching != 0 && kept < space; reaching &= reaching - 1, ++kept) {
      const auto k = static_cast<std::uint32_t>(__builtin_ctzll(reaching));
      kept_shapes[kept] = shapes[k];
      kept_paints[kept] =
          are_copies ? slab.paints[first + k] : args_.paints[slab.indices[first + k]];
    }
    if constexpr (kLooks) {
      for (int k = 0; k < kept; ++k) load_circle(batch, kept_shapes[k], kept_paints[k]);
    } else {
      load_circles(batch, kept_shapes, kept_paints, kept);
    }
    left_ -= reaching == 0 ? count : static_cast<std::uint32_t>(__builtin_ctzll(reaching));
  }

  /// Which of up to kBatch circles may cover a pixel of the band's rows. Reads whole vectors of
  /// them.
  std::uint64_t reaching_rows(const Shape* shapes, int count) const {
    const TileGrid& grid = args_.grid;
    const auto tile_y = static_cast<float>(args_.tile_y * grid.tile_size);
    const Vector low = L::set(tile_y + static_cast<float>(args_.first_row));
    const Vector high = L::set(tile_y + static_cast<float>(args_.last_row));
    const auto height = static_cast<float>(grid.height);
    std::uint64_t reaching = 0;
    for (int k = 0; k < count; k += kLanes) {
      Vector x, y, z, radius, first, last;
      hn::LoadInterleaved4(kTag, &shapes[k].x, x, y, z, radius);
      covered_pixels<L>(y, radius, grid.scale, height, grid.half_y, grid.margin, first, last);
      reaching |= bits_of(L::both(hn::Ge(last, low), L::less_equal(first, high))) << k;
    }
    return count < kBatch ? reaching & ((std::uint64_t{1} << count) - 1) : reaching;
  }

  std::uint32_t piece_size(std::size_t slab) const {
    const std::uint32_t* const offset = &args_.slabs[slab].offsets[args_.bin()];
    return offset[1] - offset[0];
  }

  /// On to the tile's circles of the next slab behind that has some.
  bool next_piece() {
    while (slab_ > 0 && left_ == 0) left_ = piece_size(--slab_);
    // Pieces are far apart and short, so the hardware prefetcher does not predict the next one.
    constexpr std::size_t kAhead = 3;
    if (slab_ >= kAhead && args_.slabs[slab_ - kAhead].shapes != nullptr) {
      const SlabLists& slab = args_.slabs[slab_ - kAhead];
      const std::uint32_t first = slab.offsets[args_.bin()];
      const auto size = std::min<std::uint32_t>(piece_size(slab_ - kAhead), kBatch);
      const std::uint32_t last = first + size + kLanes;  // see load_circles
      for (std::uint32_t i = first; i < last; i += 4) {
        hwy::Prefetch(slab.shapes + i);
        hwy::Prefetch(slab.paints + i);
      }
    }
    return left_ > 0;
  }

  static HWY_INLINE void load_circle(Batch& batch, const Shape& shape, const Paint& paint) {
    const int k = batch.count++;
    batch.x[k] = shape.x;
    batch.y[k] = shape.y;
    batch.radius[k] = shape.radius;
    batch.one_minus_alpha[k] = 1.0f - paint.alpha;
    batch.paints[k] = paint;
    batch.snow |= std::uint64_t{is_snow(paint)} << k;
    batch.largest = std::max(batch.largest, shape.radius);
    if constexpr (kLooks) load_looks(batch, k, shape, paint);
  }

  static void load_looks(Batch& batch, int k, const Shape& shape, const Paint& paint) {
    batch.rings |= std::uint64_t{is_ring(paint)} << k;
    batch.modes[k] = blend_mode(paint);
    batch.hole[k] = inner_radius(shape, paint);
    batch.hole2[k] = hole_square(shape, paint);
    const BlendColor color = paint_color(paint);
    batch.paints[k] = {color.red, color.green, color.blue, paint.alpha};
  }

  /// Circles that lie one behind the other. Reads whole vectors of them.
  static HWY_INLINE void load_circles(Batch& batch, const Shape* shapes, const Paint* paints,
                                      int count) {
    Vector largest = hn::Zero(kTag);
    for (int i = 0; i < count; i += kLanes, shapes += kLanes, paints += kLanes) {
      const int k = batch.count + i;
      const L::Mask valid = hn::FirstN(kTag, static_cast<std::size_t>(count - i));
      Vector x, y, z, radius, red, green, blue, alpha;
      hn::LoadInterleaved4(kTag, &shapes->x, x, y, z, radius);
      hn::LoadInterleaved4(kTag, &paints->red, red, green, blue, alpha);
      hn::StoreU(x, kTag, batch.x + k);
      hn::StoreU(y, kTag, batch.y + k);
      hn::StoreU(radius, kTag, batch.radius + k);
      hn::StoreU(L::sub(L::set(1.0f), alpha), kTag, batch.one_minus_alpha + k);
      std::copy_n(paints, kLanes, batch.paints + k);
      largest = hn::Max(largest, hn::IfThenElseZero(valid, radius));
      const auto snow = hn::Lt(hn::BitCast(kIntegers, alpha), hn::Zero(kIntegers));  // its sign
      batch.snow |= bits_of(L::both(valid, hn::RebindMask(kTag, snow))) << k;
    }
    batch.count += count;
    batch.largest = std::max(batch.largest, hn::GetLane(hn::MaxOfLanes(kTag, largest)));
  }

  const BlendTileArgs& args_;
  std::size_t slab_;        ///< where the circles come from
  std::uint32_t left_ = 0;  ///< of the tile's circles there
};
