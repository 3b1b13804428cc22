// A tile's pixels in blocks of vectors. Included by blend_tiles.cpp for each target.

/// A block has kLanes × kRows pixels, which stay in registers while a batch is painted.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;

/// A patch is a vector's pixels in a nearly square shape, so that edges of circles cut fewer
/// patches than rows.
constexpr int kPatchColumns = std::min(kLanes, 4), kPatchRows = kLanes / kPatchColumns;
static_assert(kRows % kPatchRows == 0);
/// A cell is the unit of coverage by area.
constexpr int kCellPatches = 8;                                             ///< side by side
constexpr int kCellColumns = kCellPatches * kPatchColumns, kCellRows = 32;  ///< pixels

// Transmittance is counted in halvings, as an integer in units of 2⁻²³: the bits of a binary32
// number, less those of 1, never exceed its logarithm to the base 2.
inline std::int32_t bits_of(float value) {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
/// Lower bound of the halvings until a pixel is opaque.
inline std::int32_t halvings_left(float transmittance) {
  return bits_of(transmittance) - bits_of(kOpaqueTransmittance);
}
/// Upper bound of the halvings by this factor, with the product's rounding.
inline std::int32_t halvings_taken(float one_minus_alpha) {
  return bits_of(1.0f) - bits_of(one_minus_alpha) + 1;
}
HWY_INLINE auto halvings_taken(Vector one_minus_alpha) {
  return hn::Sub(hn::Set(kIntegers, bits_of(1.0f) + 1), hn::BitCast(kIntegers, one_minus_alpha));
}

struct Block {
  int x, y;             ///< first pixel in the tile
  float transmittance;  ///< lower bound for its pixels in the image
};

/// Pixels that each circle may cover, ends included.
struct PixelBoxes {
  alignas(64) std::int32_t first_x[kBatch];
  alignas(64) std::int32_t last_x[kBatch];
  alignas(64) std::int32_t first_y[kBatch];
  alignas(64) std::int32_t last_y[kBatch];
  int longest_side;
};

template <class State>
inline constexpr bool kHasStyles = std::is_same_v<State, ChannelState<L>>;

/// `State`: PixelState, or ChannelState in frames with styles.
template <class State>
class TileBlocks {
 public:
  explicit TileBlocks(const BlendTileArgs& args)
      : args_(args),
        pixels_(args.grid.tile_pixels(args.tile_x, args.tile_y)),
        are_blank_(args.is_fresh && pixels_.x1 - pixels_.x0 + 1 == args.grid.tile_size &&
                   pixels_.y1 - pixels_.y0 + 1 == args.grid.tile_size),
        are_current_(args.is_fresh) {
    const Vector lane_numbers = hn::Iota(kTag, 0);
    const int tile_size = args.grid.tile_size;
    for (int i = 0; i < tile_size; i += kLanes) {
      const Vector x = L::add(L::set(static_cast<float>(pixels_.x0 + i)), lane_numbers);
      const Vector y = L::add(L::set(static_cast<float>(pixels_.y0 + i)), lane_numbers);
      hn::Store(pixel_center<L>(x, args_.grid.s, args_.grid.half_x), kTag, column_x_ + i);
      hn::Store(pixel_center<L>(y, args_.grid.s, args_.grid.half_y), kTag, row_y_ + i);
    }
    for (int cell_y = 0; cell_y < tile_size; cell_y += kCellRows)
      for (int cell_x = 0; cell_x < tile_size; cell_x += kCellColumns)
        for (int y = cell_y; y < std::min(cell_y + kCellRows, tile_size); y += kRows)
          for (int x = cell_x; x < std::min(cell_x + kCellColumns, tile_size); x += kLanes)
            blocks_[num_blocks_++] = {x, y, 1};
  }

  /// Call again after painting.
  bool any_active() {
    are_blank_ = are_current_ = false;
    while (num_blocks_ > 0 && !is_active(blocks_[num_blocks_ - 1])) --num_blocks_;
    return num_blocks_ > 0;
  }

  /// Returns blocks that were active in the last any_active(), cell by cell, by rows.
  std::span<const Block> active_blocks() {
    if (!are_current_) collect_active_blocks();
    are_current_ = true;
    return {blocks_, static_cast<std::size_t>(num_blocks_)};
  }

 protected:
  static constexpr bool kStyled = kHasStyles<State>;

  int offset_of(Block block) const { return (block.y << args_.grid.tile_shift) + block.x; }

  /// Returns the first column of the fewest vectors that hold columns `first` to `last`, inside the
  /// tile.
  int start_of_vectors(int first, int last) const {
    const int vectors = (last - first) / kLanes + 1;
    return std::min(first, args_.grid.tile_size - vectors * kLanes);
  }

  void find_boxes(const Batch& batch, PixelBoxes& boxes) const {
    const TileGrid& grid = args_.grid;
    const auto height = static_cast<float>(grid.height), width = static_cast<float>(grid.width);
    const auto store = [&](Vector pixel, int origin, std::int32_t* to) HWY_ATTR {
      const auto position = hn::Sub(hn::ConvertTo(kIntegers, pixel), hn::Set(kIntegers, origin));
      hn::Store(
          hn::Min(hn::Max(position, hn::Zero(kIntegers)), hn::Set(kIntegers, grid.tile_size - 1)),
          kIntegers, to);
    };
    Vector longest = hn::Zero(kTag);
    for (int k = 0; k < batch.count; k += kLanes) {
      const Vector radius = hn::Load(kTag, batch.radius + k);
      Vector first, last;
      covered_whole_pixels(hn::Load(kTag, batch.x + k), radius, grid.scale, width, grid.half_x,
                           grid.margin, first, last);
      store(first, pixels_.x0, boxes.first_x + k);
      store(last, pixels_.x0, boxes.last_x + k);
      longest = hn::Max(longest, L::sub(last, first));
      covered_whole_pixels(hn::Load(kTag, batch.y + k), radius, grid.scale, height, grid.half_y,
                           grid.margin, first, last);
      store(first, pixels_.y0, boxes.first_y + k);
      store(last, pixels_.y0, boxes.last_y + k);
      longest = hn::Max(longest, L::sub(last, first));
    }
    boxes.longest_side = static_cast<int>(hn::GetLane(hn::MaxOfLanes(kTag, longest))) + 1;
  }

  /// Pixels without colour, which let all light pass.
  static HWY_INLINE State blank_pixels() {
    return load_planes([](std::size_t i) HWY_ATTR { return L::set(i < 3 ? 0.0f : 1.0f); });
  }
  HWY_INLINE State load_pixels(int offset) const {
    const float* const at = args_.state.planes + offset;
    const std::size_t plane = args_.state.plane_size();
    return load_planes([&](std::size_t i) HWY_ATTR { return hn::Load(kTag, at + i * plane); });
  }
  HWY_INLINE void store_pixels(const State& pixels, int offset) const {
    float* const at = args_.state.planes + offset;
    const std::size_t plane = args_.state.plane_size();
    store_planes(pixels, [&](Vector channel, std::size_t i)
                             HWY_ATTR { hn::Store(channel, kTag, at + i * plane); });
  }
  /// For any adjacent pixels. `plane`: floats between planes.
  static HWY_INLINE State load_pixels(const float* at, std::size_t plane) {
    return load_planes([&](std::size_t i) HWY_ATTR { return hn::LoadU(kTag, at + i * plane); });
  }
  static HWY_INLINE void store_pixels(const State& pixels, float* at, std::size_t plane) {
    store_planes(pixels, [&](Vector channel, std::size_t i)
                             HWY_ATTR { hn::StoreU(channel, kTag, at + i * plane); });
  }
  /// load(i) returns plane i's values.
  template <class Load>
  static HWY_INLINE State load_planes(const Load& load) {
    if constexpr (kStyled)
      return {load(0), load(1), load(2), load(3), load(4), load(5)};
    else
      return {load(0), load(1), load(2), load(3)};
  }
  template <class Store>
  static HWY_INLINE void store_planes(const State& pixels, const Store& store) {
    store(pixels.red, 0), store(pixels.green, 1), store(pixels.blue, 2);
    if constexpr (kStyled) {
      store(pixels.red_transmittance, 3), store(pixels.green_transmittance, 4);
      store(pixels.blue_transmittance, 5);
    } else {
      store(pixels.transmittance, 3);
    }
  }

  const BlendTileArgs& args_;
  const PixelRect pixels_;
  bool are_blank_;  ///< nothing is painted yet, and all of the tile is in the image
  alignas(64) float column_x_[kMaxTileSize];  ///< centres of the tile's columns
  alignas(64) float row_y_[kMaxTileSize];     ///< centres of the tile's rows

 private:
  HWY_INLINE Vector load_transmittance(int offset) const {
    if constexpr (kStyled)
      return max_transmittance<L>(load_pixels(offset));
    else
      return hn::Load(kTag, args_.state.plane(3) + offset);
  }

  /// Returns false if all pixels are opaque; else sets their minimum transmittance.
  HWY_INLINE bool is_active(Block& block) const {
    const int first = offset_of(block);
    Vector least = load_transmittance(first), most = least;
    for (int row = 1; row < kRows; ++row) {
      const Vector other = load_transmittance(first + row * args_.state.tile_size);
      least = hn::Min(least, other), most = hn::Max(most, other);
    }
    if (L::none(L::greater(most, L::set(kOpaqueTransmittance)))) return false;
    block.transmittance = hn::GetLane(hn::MinOfLanes(kTag, least));
    return true;
  }

  void collect_active_blocks() {
    int active = 0;
    for (int i = 0; i < num_blocks_; ++i) {
      blocks_[active] = blocks_[i];
      if (is_active(blocks_[active])) ++active;
    }
    num_blocks_ = active;
  }

  bool are_current_;  ///< nothing was painted since blocks_ were found
  int num_blocks_ = 0;
  Block blocks_[kMaxTileSize * kMaxTileSize / (kLanes * kRows)];
};
