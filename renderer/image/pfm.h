#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace roundel {

/// Header of a PFM file of floats, rows **bottom to top**.
struct PfmHeader {
  int width = 0, height = 0;
  int channels = 3;  ///< 3 ("PF") or 1 ("Pf")
  bool is_big_endian = false;
  std::size_t data_offset = 0;  ///< offset of the lowest row in the file

  std::size_t row_floats() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  }
  /// Rows count from the bottom.
  std::uint64_t row_offset(std::size_t row) const {
    return data_offset + std::uint64_t{row} * row_floats() * sizeof(float);
  }
  /// Converts floats from the file's byte order.
  void to_native(std::span<float> floats) const;
};

inline constexpr std::size_t kMaxPfmHeaderBytes = 128;

/// Parses the header from the first bytes, kMaxPfmHeaderBytes or all, of a file of `file_size`
/// bytes. Throws Error(kInvalidScene) "PATH: not a sound PFM file: …", also if the pixels do not
/// fill the rest of the file exactly.
PfmHeader parse_pfm_header(const std::string& path, std::span<const std::byte> start,
                           std::uint64_t file_size);

}  // namespace roundel
