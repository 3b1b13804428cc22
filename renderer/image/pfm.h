#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace roundel {

/// A PFM file's pixels where they lie in the file, rows **bottom to top**.
struct PfmPixels {
  int width = 0, height = 0;
  int channels = 3;  ///< 3 ("PF") or 1 ("Pf")
  bool is_big_endian = false;
  const std::byte* data = nullptr;  ///< [height · width · channels] floats, not aligned

  /// Row `row`, in the machine's byte order, to `out` [width · channels].
  void copy_row(std::size_t row, float* out) const;
};

/// Throws Error(kInvalidScene) "PATH: not a sound PFM file: …".
PfmPixels parse_pfm(const std::string& path, std::span<const std::byte> file);

}  // namespace roundel
