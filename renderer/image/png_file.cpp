#include "renderer/image/png_file.h"

#include <libdeflate.h>

namespace roundel {

void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(std::vector<std::uint8_t>& out, std::string_view type, std::string_view data) {
  append_u32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  append_u32(out, libdeflate_crc32(0, out.data() + begin, out.size() - begin));
}

std::vector<std::uint8_t> png_tail(std::uint32_t crc) {
  std::vector<std::uint8_t> tail;
  append_u32(tail, crc);
  append_chunk(tail, "IEND", {});
  return tail;
}

}  // namespace roundel
