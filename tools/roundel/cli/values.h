#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace roundel {

/// Readers of option values. All of them want the whole text, take no sign but a leading minus
/// where the range has one, do not depend on the locale, and throw Expected.

/// A whole number in [low, high]; `unit` ("pixels") is for the message.
std::int64_t parse_whole(const std::string& text, std::int64_t low, std::int64_t high,
                         const std::string& unit = "");
/// A decimal number in [low, high]; `unit` is for the message.
double parse_number(const std::string& text, double low, double high, const std::string& unit = "");
/// "1024x768": width and height in pixels, within kMaxImageSide and kMaxPixels.
std::pair<int, int> parse_size(const std::string& text);
/// "512M", "8G": bytes, with K, M, G, T for powers of 1024; at least 1M.
std::uint64_t parse_memory(const std::string& text);

}  // namespace roundel
