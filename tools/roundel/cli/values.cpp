#include "tools/roundel/cli/values.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "renderer/scene/scene.h"
#include "tools/roundel/cli/command_line.h"

namespace roundel {
namespace {

template <typename T>
std::optional<T> whole_text(const std::string& text) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

std::int64_t parse_whole(const std::string& text, std::int64_t low, std::int64_t high,
                         const std::string& unit) {
  const auto number = whole_text<std::int64_t>(text);
  if (number && *number >= low && *number <= high) return *number;
  throw Expected{
      fmt::format("a whole number{}{} from {} to {}", unit.empty() ? "" : " of ", unit, low, high)};
}

double parse_number(const std::string& text, double low, double high, const std::string& unit) {
  const auto number = whole_text<double>(text);
  if (number && *number >= low && *number <= high) return *number;
  throw Expected{
      fmt::format("a number{}{} from {} to {}", unit.empty() ? "" : " of ", unit, low, high)};
}

std::pair<int, int> parse_size(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x != std::string::npos) {
    const auto width = whole_text<int>(text.substr(0, x));
    const auto height = whole_text<int>(text.substr(x + 1));
    if (width && height && *width >= 1 && *height >= 1 && *width <= kMaxImageSide &&
        *height <= kMaxImageSide) {
      const auto pixels = static_cast<std::uint64_t>(*width) * static_cast<std::uint64_t>(*height);
      if (pixels <= kMaxPixels) return {*width, *height};
    }
  }
  throw Expected{fmt::format("WIDTHxHEIGHT in pixels, 1..{} each", kMaxImageSide)};
}

std::uint64_t parse_memory(const std::string& text) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  constexpr std::string_view kUnits = "KMGT";
  std::size_t digits = text.size();
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      --digits;
      shift = 10 * (static_cast<unsigned>(unit) + 1);
    }
  }
  const auto number = whole_text<std::uint64_t>(text.substr(0, digits));
  if (number && *number <= (kMost >> shift)) {
    const std::uint64_t bytes = *number << shift;
    if (bytes >= kLeast) return bytes;
  }
  throw Expected{"a whole number of bytes, or of K, M, G or T (powers of 1024), at least 1M"};
}

}  // namespace roundel
