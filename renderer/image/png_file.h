#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// A PNG file, in memory that may be larger and is reused.
struct PngFile {
  std::vector<std::uint8_t> head;  ///< png_head()
  Buffer<std::uint8_t> memory;
  std::span<const std::uint8_t> bytes;  ///< in `memory`; empty: no file
};

/// High byte first.
void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value);
/// Appends length, type, data and CRC.
void append_chunk(std::vector<std::uint8_t>& out, std::string_view type, std::string_view data);
/// Bytes after IDAT's data: its CRC, and IEND.
std::vector<std::uint8_t> png_tail(std::uint32_t crc);

}  // namespace roundel
