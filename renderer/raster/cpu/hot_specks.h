// Specks of a tile's long list: what they cover, which several threads find, and painting that.
// Included inside HWY_NAMESPACE by blend_tiles.cpp, once a target.

/// Finds what the circles of a slab cover of a tile. Places are a word a circle: a bit for each
/// pixel of its box that it covers, as in SpeckCoverage, and from bit 16 on the box's first pixel.
class SpeckFinder : public TileBlocks<PixelState<L>> {
 public:
  explicit SpeckFinder(const BlendTileArgs& args) : TileBlocks(args) {
    coverage_.place(pixels_, args.grid);
  }

  /// Writes the places, front to back. False where not all circles are specks of one colour.
  bool find(std::uint32_t* places) {
    constexpr int kSide = SpeckCoverage::kLargestSide;
    Batch batch;
    BatchLoader<false> loader(args_);
    while (loader.load(batch)) {
      find_boxes(batch, boxes_);
      if (batch.snow != 0 || boxes_.longest_side > kSide) return false;
      const std::int32_t* const covered =
          coverage_.find({batch.count, boxes_.longest_side, batch.x, batch.y, batch.radius,
                          boxes_.first_x, boxes_.first_y, batch.paints});
      const int size = args_.grid.tile_size;
      for (int k = 0; k < batch.count; ++k) {
        const int x = boxes_.first_x[k], y = boxes_.first_y[k];
        // Of the box what is in the tile: a bit a column in each of its rows.
        const int columns = (1 << std::min(kSide, size - x)) - 1;
        const int inside = 0x1111 * columns & ((1 << kSide * std::min(kSide, size - y)) - 1);
        *places++ = static_cast<std::uint32_t>((y * size + x) << 16 | (covered[k] & inside));
      }
    }
    return true;
  }

 private:
  SpeckCoverage coverage_;
  PixelBoxes boxes_;
};

/// Paints what a SpeckFinder found. True when all pixels are opaque. A pixel stays in registers
/// from speck to speck: where many lie on one, each waits for the one in front of it.
inline bool paint_found_specks(const BlendTileArgs& args, const std::uint32_t* places) {
  using One = CappedLanes<1>;
  const SlabLists& slab = args.slabs.front();
  const std::uint32_t first = slab.offsets[args.bin()], end = slab.offsets[args.bin() + 1];
  const std::size_t plane = args.state.plane_size();
  const auto size = static_cast<std::uint32_t>(args.grid.tile_size);
  constexpr std::uint32_t kSide = SpeckCoverage::kLargestSide;
  float* held = args.state.planes;
  const auto load = [&] {
    return PixelState<One>{One::set(held[0]), One::set(held[plane]), One::set(held[2 * plane]),
                           One::set(held[3 * plane])};
  };
  PixelState<One> pixel = load();
  const auto store = [&] {
    held[0] = hn::GetLane(pixel.red), held[plane] = hn::GetLane(pixel.green);
    held[2 * plane] = hn::GetLane(pixel.blue);
    held[3 * plane] = hn::GetLane(pixel.transmittance);
  };
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t place = *places++;
    const Paint& paint = slab.paints[i];
    for (std::uint32_t covered = place & 0xffff; covered != 0; covered &= covered - 1) {
      const auto bit = static_cast<std::uint32_t>(__builtin_ctz(covered));
      const std::uint32_t number = (place >> 16) + bit / kSide * size + bit % kSide;
      float* const at = args.state.planes + number;
      if (at != held) {
        store();
        held = at;
        pixel = load();
      }
      if (hn::GetLane(pixel.transmittance) > kOpaqueTransmittance)
        composite<One>(pixel, One::set(paint.alpha), One::set(paint.red), One::set(paint.green),
                       One::set(paint.blue));
    }
  }
  store();
  const float* const transmittances = args.state.plane(3);
  return std::all_of(transmittances, transmittances + plane,
                     [](float left) { return left <= kOpaqueTransmittance; });
}
