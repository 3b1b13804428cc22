// The circles of a tile's list, batch by batch. Included by blend_tiles.cpp for each target.

/// Circles that are painted at once, front ones first: the bits of a word.
constexpr int kBatch = 64;
/// Radius in pixels below which solid circles are specks, in frames without styles.
constexpr float kSpeckRadius = 1.3f;
struct Batch {
  int count;
  float largest;          ///< radius
  std::uint64_t falloff;  ///< bit k: circle k is soft or snow
  std::uint64_t soft;     ///< bit k: circle k is soft
  // In frames with styles only:
  std::uint64_t rings;                       ///< bit k: circle k is a ring
  BlendMode modes[kBatch];                   ///< the paints have no signs
  alignas(64) float hole[kBatch + kLanes];   ///< radius of a ring's hole, else 0
  alignas(64) float hole2[kBatch + kLanes];  ///< hole_square()
  // Whole vectors are loaded from any index on.
  alignas(64) float x[kBatch + kLanes];
  alignas(64) float y[kBatch + kLanes];
  alignas(64) float radius[kBatch + kLanes];
  alignas(64) float one_minus_alpha[kBatch + kLanes];  ///< solid circles only
  alignas(64) float r2[kBatch];                        ///< radius², or negative beyond `count`
  alignas(64) float inverse_r2[kBatch];                ///< inverse_square(radius), with falloff
  alignas(64) float peak[kBatch];                      ///< peak of the exponential, with falloff
  alignas(64) std::int32_t cost[kBatch];               ///< halvings_taken(one_minus_alpha)
  Paint paints[kBatch + kLanes];
};

/// Without styles the mode is kOver.
template <bool kStyled>
HWY_INLINE BlendMode mode_of(const Batch& batch, int k) {
  return kStyled ? batch.modes[k] : BlendMode::kOver;
}
template <bool kStyled>
HWY_INLINE ModePaint<L> paint_of(const Batch& batch, int k) {
  const Paint& paint = batch.paints[k];
  return {mode_of<kStyled>(batch, k), L::set(paint.red), L::set(paint.green), L::set(paint.blue)};
}

/// Returns a bit for each lane.
template <class Tag>
HWY_INLINE std::uint64_t bits_of(Tag tag, hn::Mask<Tag> mask) {
  // As long as the lanes' bits, since longer types would need an instruction to clear the rest.
  hwy::UnsignedFromSize<(hn::MaxLanes(tag) + 7) / 8> bits;
  std::uint8_t bytes[8];  // StoreMaskBits may write all of them
  hn::StoreMaskBits(tag, mask, bytes);
  __builtin_memcpy(&bits, bytes, sizeof bits);
  return bits;
}
HWY_INLINE std::uint64_t bits_of(L::Mask mask) {
  return bits_of(kTag, mask);
}

/// Sets the bit of circle k, which has a falloff, and drops its sign if it is soft; returns false
/// for snow.
HWY_INLINE bool mark_soft(Batch& batch, int k) {
  Paint& paint = batch.paints[k];
  if (!is_soft(paint)) return false;
  paint.blue = -paint.blue;
  batch.soft |= std::uint64_t{1} << k;
  return true;
}

/// Returns those of `circles` before the first one of another shader.
HWY_INLINE std::uint64_t run_of_shader(const Batch& batch, std::uint64_t circles) {
  const std::uint64_t first = circles & (0 - circles);
  const std::uint64_t alike = (first & batch.soft) != 0      ? batch.soft
                              : (first & batch.falloff) != 0 ? batch.falloff & ~batch.soft
                                                             : ~batch.falloff;
  const std::uint64_t others = circles & ~alike;
  return circles & ((others & (0 - others)) - 1);
}

template <bool kStyled>
class BatchLoader {
 public:
  explicit BatchLoader(const BlendTileArgs& args) : args_(args), slab_(args.slabs.size()) {}

  /// Loads up to kBatch circles. Returns false if none are left.
  bool load(Batch& batch) {
    batch.count = 0;
    batch.falloff = batch.soft = batch.rings = 0;
    batch.largest = 0;
    while (batch.count < kBatch && (left_ > 0 || next_piece())) take(batch);
    for (int k = batch.count; k % kLanes != 0; ++k) batch.x[k] = batch.y[k] = batch.radius[k] = 0;
    for (int k = batch.count; kStyled && k % kLanes != 0; ++k) batch.hole[k] = 0;
    return batch.count > 0;
  }

  bool is_done() const { return left_ == 0 && slab_ == 0; }

 private:
  void take(Batch& batch) {
    const SlabLists& slab = args_.slabs[slab_];
    const auto count = std::min(static_cast<std::uint32_t>(kBatch - batch.count), left_);
    const std::uint32_t first = slab.offsets[args_.bin() + 1] - left_;
    if (slab.shapes != nullptr && !kStyled) {
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

  std::uint32_t piece_size(std::size_t slab) const {
    const std::uint32_t* const offset = &args_.slabs[slab].offsets[args_.bin()];
    return offset[1] - offset[0];
  }

  bool next_piece() {
    while (slab_ > 0 && left_ == 0) left_ = piece_size(--slab_);
    // Pieces are short and far apart, so the hardware prefetcher does not predict the next one.
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
    batch.falloff |= std::uint64_t{has_falloff(paint)} << k;
    batch.largest = std::max(batch.largest, shape.radius);
    if constexpr (kStyled) load_styles(batch, k, shape, paint);
  }

  static void load_styles(Batch& batch, int k, const Shape& shape, const Paint& paint) {
    batch.rings |= std::uint64_t{is_ring(paint)} << k;
    batch.modes[k] = blend_mode(paint);
    batch.hole[k] = inner_radius(shape, paint);
    batch.hole2[k] = hole_square(shape, paint);
    const BlendColor color = paint_color(paint);
    batch.paints[k] = {color.red, color.green, is_soft(paint) ? -color.blue : color.blue,
                       paint.alpha};
  }

  /// Loads contiguous circles. Reads whole vectors.
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
      const auto falloff = hn::Lt(hn::BitCast(kIntegers, alpha), hn::Zero(kIntegers));  // its sign
      batch.falloff |= bits_of(L::both(valid, hn::RebindMask(kTag, falloff))) << k;
    }
    batch.count += count;
    batch.largest = std::max(batch.largest, hn::GetLane(hn::MaxOfLanes(kTag, largest)));
  }

  const BlendTileArgs& args_;
  std::size_t slab_;
  std::uint32_t left_ = 0;  ///< the tile's circles left in the slab
};
