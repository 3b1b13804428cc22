#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace roundel {

/// What the header of an .npy file says of a two-dimensional float array.
struct NpyHeader {
  std::uint64_t rows = 0, columns = 0;
  bool is_double = false;       ///< float64, else float32
  std::size_t data_offset = 0;  ///< of the first element in the file
};

/// No header ends behind this byte of a file: NumPy itself refuses texts beyond 10,000 bytes unless
/// told otherwise.
inline constexpr std::size_t kMaxNpyHeaderBytes = 12 + 10'000;

/// Reads the header from the first bytes of a file of `file_size` bytes, all of them or at least
/// kMaxNpyHeaderBytes; format versions 1 to 3. Accepted are '<f4' and '<f8' in C order with two
/// dimensions, whose elements fill the rest of the file exactly. Throws Error(kInvalidScene)
/// "PATH: …".
NpyHeader parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size,
                           const std::string& path);

}  // namespace roundel
