// A tile's pixels, in blocks of vectors. Included inside HWY_NAMESPACE by blend_tiles.cpp, once a
// target.

/// Pixels whose state stays in registers while a batch's circles pass: kLanes wide, kRows high.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;

// Transmittance is also counted in halvings, as an integer in units of 2⁻²³: the bits of a binary32
// number, less those of 1, are never more than its logarithm to the base 2.
inline std::int32_t bits_of(float value) {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
/// At least how far a transmittance is from the one that stops a pixel.
inline std::int32_t halvings_left(float transmittance) {
  return bits_of(transmittance) - bits_of(kOpaqueTransmittance);
}
/// At most what a factor of `one_minus_alpha` takes, the rounding of the product included.
inline std::int32_t halvings_taken(float one_minus_alpha) {
  return bits_of(1.0f) - bits_of(one_minus_alpha) + 1;
}

struct Block {
  int x, y;             ///< of its first pixel in the tile
  float transmittance;  ///< least transmittance of its pixels in the image, or less
};

class TileBlocks {
 public:
  explicit TileBlocks(const BlendTileArgs& args)
      : args_(args), pixels_(args.grid.tile_pixels(args.tile_x, args.tile_y)) {
    const Vector lane_numbers = hn::Iota(kTag, 0);
    const int tile_size = args.grid.tile_size;
    for (int i = 0; i < tile_size; i += kLanes) {
      const Vector x = L::add(L::set(static_cast<float>(pixels_.x0 + i)), lane_numbers);
      const Vector y = L::add(L::set(static_cast<float>(pixels_.y0 + i)), lane_numbers);
      hn::Store(pixel_center<L>(x, args_.grid.s, args_.grid.half_x), kTag, column_x_ + i);
      hn::Store(pixel_center<L>(y, args_.grid.s, args_.grid.half_y), kTag, row_y_ + i);
    }
    for (int y = 0; y < tile_size; y += kRows)
      for (int x = 0; x < tile_size; x += kLanes) blocks_[num_blocks_++] = {x, y, 1};
  }

  /// Those with pixels that were active when collect_active_blocks() was called last, row by row.
  std::span<const Block> blocks() const { return {blocks_, static_cast<std::size_t>(num_blocks_)}; }

  /// Forgets blocks whose pixels are all opaque; false when there is no other left.
  bool collect_active_blocks() {
    int active = 0;
    for (int i = 0; i < num_blocks_; ++i) {
      Block& block = blocks_[active];
      block = blocks_[i];
      const float* const t = args_.state.plane(3) + offset_of(block);
      Vector least = hn::Load(kTag, t), most = least;
      for (int row = 1; row < kRows; ++row) {
        const Vector other = hn::Load(kTag, t + std::ptrdiff_t{row} * args_.state.tile_size);
        least = hn::Min(least, other), most = hn::Max(most, other);
      }
      if (L::none(L::greater(most, L::set(kOpaqueTransmittance)))) continue;
      block.transmittance = hn::GetLane(hn::MinOfLanes(kTag, least));
      ++active;
    }
    num_blocks_ = active;
    return active > 0;
  }

 protected:
  int offset_of(Block block) const { return (block.y << args_.grid.tile_shift) + block.x; }

  HWY_INLINE PixelState<L> load_pixels(int offset) const {
    const TileState& state = args_.state;
    return {hn::Load(kTag, state.plane(0) + offset), hn::Load(kTag, state.plane(1) + offset),
            hn::Load(kTag, state.plane(2) + offset), hn::Load(kTag, state.plane(3) + offset)};
  }
  HWY_INLINE void store_pixels(const PixelState<L>& pixels, int offset) const {
    const TileState& state = args_.state;
    hn::Store(pixels.red, kTag, state.plane(0) + offset);
    hn::Store(pixels.green, kTag, state.plane(1) + offset);
    hn::Store(pixels.blue, kTag, state.plane(2) + offset);
    hn::Store(pixels.transmittance, kTag, state.plane(3) + offset);
  }

  const BlendTileArgs& args_;
  const PixelRect pixels_;
  alignas(64) float column_x_[kLargestTileSize];  ///< centres of the tile's columns
  alignas(64) float row_y_[kLargestTileSize];     ///< and rows

 private:
  int num_blocks_ = 0;
  Block blocks_[kLargestTileSize * kLargestTileSize / (kLanes * kRows)];  ///< with active pixels
};
