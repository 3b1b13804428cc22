// Finds patches of a tile that are opaque, with coverage by area. Included by blend_tiles.cpp for
// each target.

/// Counts the circles that cover each patch until it is certainly opaque, since circles behind need
/// no shares. Counts 64 patches at once in binary digits, a word for each digit.
class OpaquePatches {
 public:
  /// A word has eight rows of eight patches.
  static constexpr int kWordRows = 8 * kPatchRows, kWords = kCellRows / kWordRows;

  struct Cell {
    std::uint64_t opaque[kWords];
    std::uint64_t digits[kWords][5];  ///< lowest first; patches are opaque at 32
  };
  /// Returns the cell with pixel (column, row) of the tile.
  Cell& cell(int column, int row) { return cells_[row / kCellRows][column / kCellColumns]; }

  /// If used, call first. Counts circles that let through at most the share `most` of the light.
  /// Counts nothing if more than `num_circles` would be needed.
  void start(int num_circles, float most, int tile_size) {
    most_ = most;
    float left = 1;
    int count = 1;
    // Exceeds the products' rounding.
    while ((left *= most * 1.000001f) > kOpaqueTransmittance)
      if (++count > std::min(num_circles, 31)) return;
    is_counting_ = true;
    for (int row = 0; row < tile_size; row += kCellRows) {
      for (int column = 0; column < tile_size; column += kCellColumns) {
        for (int word = 0; word < kWords; ++word) {
          Cell& of_cell = cell(column, row);
          of_cell.opaque[word] = 0;
          for (int i = 0; i < 5; ++i)
            of_cell.digits[word][i] = ((32 - count) >> i & 1) != 0 ? ~std::uint64_t{0} : 0;
        }
      }
    }
  }
  bool is_counting() const { return is_counting_; }
  bool counts(float one_minus_alpha) const { return is_counting_ && one_minus_alpha <= most_; }

  /// Counts a circle that covers the patches `whole` of a word. Returns the opaque patches.
  static HWY_INLINE std::uint64_t add(std::uint64_t whole, int word, Cell& cell) {
    for (std::uint64_t& digit : cell.digits[word]) {
      const std::uint64_t carry = digit & whole;
      digit ^= whole;
      whole = carry;
    }
    return cell.opaque[word] |= whole;
  }

 private:
  bool is_counting_ = false;
  float most_ = 0;
  Cell cells_[kMaxTileSize / kCellRows][kMaxTileSize / kCellColumns];
};
