#pragma once
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

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
  const auto parse = [](const std::string& text, auto& number) {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end;
  };
  ImageMetadata metadata{*texts[0], *texts[1]};
  if (!parse(*texts[2], metadata.seed) || !parse(*texts[3], metadata.frame)) return std::nullopt;
  return metadata;
}

}  // namespace roundel
