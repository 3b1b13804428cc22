#include "renderer/image/color_space.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace roundel {
namespace {

struct Name {
  std::uint8_t code;
  const char* name;
};

/// Returns the code's name, or "primaries 7".
template <std::size_t kCount>
std::string name_of(const Name (&names)[kCount], const char* kind, std::uint8_t code) {
  const auto* const found =
      std::find_if(names, names + kCount, [code](const Name& name) { return name.code == code; });
  return found == names + kCount ? fmt::format("{} {}", kind, code) : found->name;
}

/// Reads numbers of a TIFF's header and directory (TIFF 6.0, 1992), in either byte order.
struct Tiff {
  std::span<const std::uint8_t> bytes;
  bool is_big_endian;

  std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < size; ++k)
      value = value << 8 | bytes[at + (is_big_endian ? k : size - 1 - k)];
    return value;
  }
};

}  // namespace

std::string profile_text(std::span<const std::uint8_t> profile) {
  const std::string_view bytes(reinterpret_cast<const char*>(profile.data()), profile.size());
  const bool is_srgb = bytes.find("sRGB") != std::string_view::npos ||
                       bytes.find(std::string_view("s\0R\0G\0B", 7)) != std::string_view::npos;
  return fmt::format("{} ({:08x})", is_srgb ? kSrgbProfile : "an ICC profile",
                     libdeflate_crc32(0, profile.data(), profile.size()));
}

std::string code_points_text(std::span<const std::uint8_t, 4> codes) {
  constexpr Name kPrimaries[] = {{1, "BT.709"},  {5, "BT.601 PAL"}, {6, "BT.601"},
                                 {9, "BT.2020"}, {11, "DCI P3"},    {12, "P3"}};
  constexpr Name kTransfers[] = {{1, "BT.709"},       {4, "gamma 2.2"}, {5, "gamma 2.8"},
                                 {6, "BT.601"},       {8, "linear"},    {13, "sRGB"},
                                 {14, "BT.2020"},     {15, "BT.2020"},  {16, "PQ"},
                                 {17, "SMPTE 428-1"}, {18, "HLG"}};
  constexpr std::uint8_t kSrgb[] = {1, 13, 0, 1};
  if (std::equal(codes.begin(), codes.end(), kSrgb)) return "";
  const auto [primaries, transfer, matrix, is_full] =
      std::array{codes[0], codes[1], codes[2], codes[3]};
  return fmt::format("cICP {}, {}{}{}", name_of(kPrimaries, "primaries", primaries),
                     name_of(kTransfers, "transfer", transfer),
                     matrix == 0 ? "" : fmt::format(", matrix {}", matrix),
                     is_full == 1 ? "" : ", narrow range");
}

std::string primaries_text(const std::array<double, 8>& places) {
  struct Known {
    const char* name;
    std::array<double, 8> places;
  };
  constexpr Known kKnown[] = {
      {"", {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06}},
      {"primaries of Display P3", {0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06}},
      {"primaries of Adobe RGB", {0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06}},
      {"primaries of BT.2020", {0.3127, 0.329, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046}}};
  for (const Known& known : kKnown) {
    const bool is_it = std::equal(places.begin(), places.end(), known.places.begin(),
                                  [](double a, double b) { return std::abs(a - b) < 0.001; });
    if (is_it) return known.name;
  }
  return fmt::format("white and primaries {:.5g}", fmt::join(places, " "));
}

int exif_orientation(std::span<const std::uint8_t> exif) {
  constexpr std::string_view kStart("Exif\0\0", 6);  // in JPEG and some WebP files
  if (exif.size() > kStart.size() && std::equal(kStart.begin(), kStart.end(), exif.begin()))
    exif = exif.subspan(kStart.size());
  constexpr std::size_t kHeader = 8, kEntry = 12;
  constexpr std::uint32_t kOrientation = 0x112, kShort = 3;
  if (exif.size() < kHeader || exif[0] != exif[1] || (exif[0] != 'I' && exif[0] != 'M')) return 1;
  const Tiff tiff{exif, exif[0] == 'M'};
  const std::size_t directory = *tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2).value_or(0);
  for (std::size_t k = 0; k < entries; ++k) {
    const std::size_t entry = directory + 2 + kEntry * k;
    const auto value = tiff.number(entry + 8, 2);
    if (!value) break;  // truncated
    if (tiff.number(entry, 2) != kOrientation || tiff.number(entry + 2, 2) != kShort) continue;
    return *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
  }
  return 1;
}

}  // namespace roundel
