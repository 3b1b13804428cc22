// Which patches of a tile no light goes through any more, by area. Included inside HWY_NAMESPACE by
// blend_tiles.cpp, once a target.

/// Patches that are opaque for certain: so many circles cover all of them that no light is left. Of
/// what lies behind no shares are needed. Circles are counted for 64 patches at once, in binary
/// digits of which a word has one for each patch.
class SurelyOpaque {
 public:
  /// Cells are gone through in words: eight rows of eight patches, a bit each.
  static constexpr int kWordRows = 8 * kPatchRows, kWords = kCellRows / kWordRows;

  struct Cell {
    std::uint64_t opaque[kWords];
    std::uint64_t digits[kWords][5];  ///< lowest first; patches are opaque at 32
  };
  /// That which has a pixel of the tile.
  Cell& cell(int column, int row) { return cells_[row / kCellRows][column / kCellColumns]; }

  /// To be called before all else, if at all: circles count that let through `most` of the light at
  /// most. Does nothing where more than `num_circles` would have to lie on a patch.
  void start(int num_circles, float most, int tile_size) {
    most_ = most;
    float left = 1;
    int count = 1;
    // A little more than is left, whatever the products round to.
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

  /// Counts a circle for patches of a word that it covers all of. Returns those that are opaque.
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
  Cell cells_[kLargestTileSize / kCellRows][kLargestTileSize / kCellColumns];
};
