#include "renderer/image/exr_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace roundel {
namespace {

/// Takes bytes from the front.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  bool at_zero() const { return bytes_.empty() || bytes_.front() == std::byte{0}; }

  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size()) throw std::runtime_error("it is cut off");
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  /// Zero-terminated.
  std::string_view take_text() {
    const auto end = std::find(bytes_.begin(), bytes_.end(), std::byte{0});
    const auto size = static_cast<std::size_t>(end - bytes_.begin());
    const auto text = take(size + 1);
    return {reinterpret_cast<const char*>(text.data()), size};
  }
  std::uint32_t take_number() {
    std::uint32_t number = 0;
    std::memcpy(&number, take(sizeof(number)).data(), sizeof(number));
    return number;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// In bytes.
constexpr std::pair<std::string_view, std::size_t> kSizes[] = {
    {"box2f", 16},
    {"box2i", 16},
    {"chromaticities", 32},
    {"compression", 1},
    {"double", 8},
    {"envmap", 1},
    {"float", 4},
    {"deepImageState", 1},
    {"int", 4},
    {"keycode", 28},
    {"lineOrder", 1},
    {"m33d", 72},
    {"m33f", 36},
    {"m44d", 128},
    {"m44f", 64},
    {"rational", 8},
    {"tiledesc", 9},
    {"timecode", 8},
    {"v2d", 16},
    {"v2f", 8},
    {"v2i", 8},
    {"v3d", 24},
    {"v3f", 12},
    {"v3i", 12},
};

/// True if the value, read as OpenEXR does, ends with its last byte.
bool fits_type(std::string_view type, std::span<const std::byte> value) {
  const auto* const known =
      std::find_if(std::begin(kSizes), std::end(kSizes),
                   [type](const auto& candidate) { return candidate.first == type; });
  if (known != std::end(kSizes)) return value.size() == known->second;
  ByteReader reader(value);
  if (type == "chlist") {
    constexpr std::size_t kChannel = 16;  // type, linearity, sampling
    while (!reader.at_zero()) {
      reader.take_text();
      reader.take(kChannel);
    }
    return reader.take(1).size() == 1 && reader.empty();
  }
  if (type == "stringvector") {
    while (!reader.empty()) reader.take(reader.take_number());
    return true;
  }
  if (type == "preview") {
    const std::uint64_t width = reader.take_number(), height = reader.take_number();
    const std::uint64_t pixels = value.size() / 4 - 2;
    return value.size() % 4 == 0 && width <= pixels && height <= pixels && width * height == pixels;
  }
  if (type == "floatvector") return value.size() % sizeof(float) == 0;
  return true;  // read as plain bytes
}

}  // namespace

void check_exr_attributes(std::span<const std::byte> file) {
  constexpr std::size_t kMagicAndVersion = 8;
  ByteReader reader(file);
  const bool has_parts = (reader.take(kMagicAndVersion)[5] & std::byte{0x10}) != std::byte{0};
  do {
    while (!reader.at_zero()) {
      const std::string_view name = reader.take_text();
      const std::string_view type = reader.take_text();
      // OpenEXR 3.1 reads past its end.
      if (type == "idmanifest") throw UnsupportedExr("a manifest of ids");
      if (!fits_type(type, reader.take(reader.take_number()))) {
        throw std::runtime_error(
            fmt::format("attribute '{}' does not have the size of its type {}", name, type));
      }
    }
    reader.take(1);
  } while (has_parts && !reader.at_zero());
}

}  // namespace roundel
