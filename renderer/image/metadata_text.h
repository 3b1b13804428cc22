#pragma once
#include <array>
#include <optional>
#include <string>

#include "renderer/base/text.h"
#include "renderer/image/files.h"

namespace roundel {

/// What files call the parts of ImageMetadata, and their texts, in this order.
inline constexpr std::array<const char*, 4> kMetadataKeywords = {"Software", "Fingerprint", "Seed",
                                                                 "Frame"};
inline std::array<std::string, 4> metadata_texts(const ImageMetadata& metadata) {
  return {metadata.software, metadata.fingerprint, std::to_string(metadata.seed),
          std::to_string(metadata.frame)};
}

/// The way back. find(keyword) returns a pointer to that text, null where there is none; nothing
/// comes back where one is missing or no number.
template <typename Find>
std::optional<ImageMetadata> parse_metadata(const Find& find) {
  std::array<const std::string*, 4> texts{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = find(kMetadataKeywords[i]);
    if (texts[i] == nullptr) return std::nullopt;
  }
  const auto seed = to_number<std::uint32_t>(*texts[2]);
  const auto frame = to_number<std::int64_t>(*texts[3]);
  if (!seed || !frame) return std::nullopt;
  return ImageMetadata{*texts[0], *texts[1], *seed, *frame};
}

}  // namespace roundel
