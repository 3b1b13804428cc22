#include "renderer/base/error.h"

#include <algorithm>
#include <new>

#include "renderer/base/text.h"

namespace roundel {
namespace {

// The next start of a UTF-8 character.
std::size_t character_start(const std::string& text, std::size_t place) {
  while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U) ++place;
  return place;
}

}  // namespace

std::string error_text(const Lines& lines) {
  constexpr std::size_t kKept =
      kMaxErrorLineBytes / 2 - 4;  // on either side of "…" and a character
  std::string out;
  for (const std::string& line : lines) {
    const std::string text = printable(line);
    if (!out.empty()) out += '\n';
    if (text.size() > kMaxErrorLineBytes) {
      const std::size_t first = character_start(text, kKept);
      const std::size_t last = character_start(text, text.size() - kKept);
      out.append(text, 0, first).append("…").append(text, last);
    } else {
      out += text;
    }
  }
  return out;
}

Lines Error::lines() const {
  return lines_of(what());
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
