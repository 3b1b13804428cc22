#include "renderer/data/text_grammar.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

namespace roundel {

TextGrammar::TextGrammar(const TextDialect& dialect) : dialect_(dialect) {
  for (const char c : {' ', '\t', '\r'})
    if (c != dialect.delimiter) blank_[static_cast<unsigned char>(c)] = true;
  ends_['\n'] = ends_[static_cast<unsigned char>(dialect.delimiter)] = true;
  if (dialect.delimiter == ' ') blank_[' '] = ends_['\t'] = ends_['\r'] = true;
}

bool TextGrammar::begins_color(const char* place, const char* end) const {
  constexpr std::ptrdiff_t kColor = 7;  // length of #rrggbb
  if (end - place < kColor) return false;
  const bool is_color = std::all_of(place + 1, place + kColor, [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
  return is_color && (ends_field(place[kColor]) || is_blank(place[kColor]));
}

const char* TextGrammar::quote_end(const char* quote, const char* end) {
  for (const char* place = quote + 1;; place += 2) {  // skips an escaped quote
    place =
        static_cast<const char*>(std::memchr(place, '"', static_cast<std::size_t>(end - place)));
    if (place == nullptr || place[1] != '"') return place == nullptr ? nullptr : place + 1;
  }
}

std::string_view TextGrammar::text_of(std::string_view field, std::string& buffer) const {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  if (!dialect_.has_quotes || !field.starts_with('"')) return field;
  buffer.clear();
  bool in_quotes = true;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '"' && in_quotes) {
      in_quotes = i + 1 < field.size() && field[i + 1] == '"';  // an escaped quote
      if (!in_quotes) continue;
      ++i;
    }
    buffer += field[i];
  }
  return buffer;
}

std::optional<double> TextGrammar::number_of(std::string_view field) const {
  constexpr std::string_view kMissing[] = {"",     "NA",   "N/A",  "n/a",  "NaN",  "nan", "NAN",
                                           "-nan", "-NaN", "NULL", "null", "None", "<NA>"};
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (field.size() > kMaxNumberBytes) return std::nullopt;
  std::string buffer;
  field = text_of(field, buffer);
  if (std::find(std::begin(kMissing), std::end(kMissing), field) != std::end(kMissing)) return kNan;
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  double number = 0;
  const auto result = fast_float::from_chars(field.data(), field.data() + field.size(), number);
  // fast_float 4 and newer report 1e999 and 1e-999 this way, after setting infinity and 0.
  const bool is_number = result.ec == std::errc{} || result.ec == std::errc::result_out_of_range;
  if (!is_number || result.ptr != field.data() + field.size()) return std::nullopt;
  return number;
}

}  // namespace roundel
