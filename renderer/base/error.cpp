#include "renderer/base/error.h"

#include <new>

#include <algorithm>

namespace roundel {
namespace {

// Moves a place in the text forward to the next start of a UTF-8 character.
std::size_t character_start(const std::string& text, std::size_t place) {
  while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U) ++place;
  return place;
}

}  // namespace

std::string shortened_lines(const std::string& text) {
  constexpr std::size_t kKept = kLongestErrorLine / 2 - 4;  // on either side of "…" and a character
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) out += '\n';
    if (end - begin > kLongestErrorLine) {
      const std::size_t first = character_start(text, begin + kKept);
      const std::size_t last = character_start(text, end - kKept);
      out.append(text, begin, first - begin).append("…").append(text, last, end - last);
    } else {
      out.append(text, begin, end - begin);
    }
    begin = end + 1;
  }
  return out;
}

Error current_error(const std::string& advice) {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ExitCode::kRuntimeFailure, "out of memory" + advice};
  } catch (const std::exception& error) {
    return {ExitCode::kRuntimeFailure, std::string("unexpected failure: ") + error.what()};
  }
}

}  // namespace roundel
