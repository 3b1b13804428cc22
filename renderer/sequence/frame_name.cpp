#include "renderer/sequence/frame_name.h"

#include <fmt/format.h>

#include <regex>

namespace roundel {
namespace {

constexpr std::size_t kMaxWidth = 99;  // two digits in %04d and {frame:04}

}  // namespace

FrameName::FrameName(const std::string& pattern) {
  static const std::regex number(R"((#+)|%(0?)(\d{0,2})d|\{frame(?::(0?)(\d{1,2}))?\})");
  auto rest = pattern.cbegin();
  for (std::smatch match; std::regex_search(rest, pattern.cend(), match, number);
       rest = match.suffix().first) {
    std::size_t width = 1;
    if (match[1].matched) {
      width = std::min(static_cast<std::size_t>(match.length(1)), kMaxWidth);
    } else {
      const std::string digits = match[3].str() + match[5].str();
      if (!digits.empty()) width = std::stoul(digits);
    }
    numbers_.push_back({match.prefix().str(), width});
  }
  tail_.assign(rest, pattern.cend());
}

std::string FrameName::path(std::int64_t frame) const {
  std::string path;
  for (const Number& number : numbers_) {
    path += number.before + fmt::format("{:0{}}", frame, number.width);
  }
  return path + tail_;
}

}  // namespace roundel
