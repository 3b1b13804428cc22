#include "renderer/compare/glob.h"

#include <cstddef>

namespace roundel {
namespace {

/// Bytes of the character at the start of `text`, which is not empty.
std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    ++length;
  }
  return length;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view name) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t p = 0, n = 0;
  // Only the last star need ever take more: what an earlier one could take in its place, this one
  // can too.
  std::size_t after_star = kNone, star_end = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_end = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n += character_length(name.substr(n));
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (after_star != kNone) {
      p = after_star;
      star_end += character_length(name.substr(star_end));
      n = star_end;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace roundel
