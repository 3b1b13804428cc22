#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/text.h"
#include "renderer/image/files.h"

namespace roundel {

/// Keywords and texts of ImageMetadata's parts in files, in this order. An empty last part is left
/// out.
inline constexpr std::array<const char*, 5> kMetadataKeywords = {"Software", "Fingerprint", "Seed",
                                                                 "Frame", "Axes"};
inline std::vector<std::pair<const char*, std::string>> metadata_texts(
    const ImageMetadata& metadata) {
  const std::array<std::string, 5> texts = {metadata.software, metadata.fingerprint,
                                            std::to_string(metadata.seed),
                                            std::to_string(metadata.frame), metadata.axes};
  std::vector<std::pair<const char*, std::string>> named;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (i + 1 < texts.size() || !texts[i].empty())
      named.emplace_back(kMetadataKeywords[i], texts[i]);
  return named;
}

/// find(keyword) returns a pointer to a text, or null. Returns nothing if a text other than the
/// last is missing or not a valid number.
template <typename Find>
std::optional<ImageMetadata> parse_metadata(const Find& find) {
  std::array<const std::string*, 5> texts{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = find(kMetadataKeywords[i]);
    if (texts[i] == nullptr && i + 1 < texts.size()) return std::nullopt;
  }
  const auto seed = to_number<std::uint32_t>(*texts[2]);
  const auto frame = to_number<std::int64_t>(*texts[3]);
  if (!seed || !frame) return std::nullopt;
  return ImageMetadata{*texts[0], *texts[1], *seed, *frame, texts[4] ? *texts[4] : ""};
}

}  // namespace roundel
