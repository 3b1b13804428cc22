#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "renderer/format/format_errors.h"

namespace roundel {

/// Finds line and column (in UTF-8 characters) of offsets. Continues from the last call: ascending
/// offsets take one pass.
class PlaceCounter {
 public:
  explicit PlaceCounter(std::string_view text) : text_(text) {}

  Place place(std::size_t offset) {
    if (offset < offset_) *this = PlaceCounter(text_);
    for (offset = std::min(offset, text_.size()); offset_ < offset; ++offset_) {
      if (text_[offset_] == '\n')
        place_ = {place_.line + 1, 1};
      else if ((static_cast<unsigned char>(text_[offset_]) & 0xC0) != 0x80)
        ++place_.column;
    }
    return place_;
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Place place_;
};

inline Place place_in(std::string_view text, std::size_t offset) {
  return PlaceCounter(text).place(offset);
}

/// Throws InvalidScene "FILE:LINE:COLUMN: PROBLEM".
[[noreturn]] inline void fail_at(const std::string& file, Place place, const std::string& problem) {
  FormatErrors errors(file);
  errors.add(place, "", problem);
  errors.throw_if_any();
  throw std::logic_error("unreachable");
}

}  // namespace roundel
