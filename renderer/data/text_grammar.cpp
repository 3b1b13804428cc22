#include "renderer/data/text_grammar.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace roundel {

TextGrammar::TextGrammar(const TextDialect& dialect) : dialect_(dialect) {
  for (const char c : {' ', '\t', '\r'})
    if (c != dialect.delimiter) blank_[static_cast<unsigned char>(c)] = true;
  ends_['\n'] = ends_[static_cast<unsigned char>(dialect.delimiter)] = true;
  if (has_runs_of_blanks()) {
    blank_[' '] = true;
    ends_['\t'] = ends_['\r'] = true;
  }
  for (std::size_t state = 0; state < kStates; ++state)
    for (std::size_t c = 0; c < 256; ++c)
      next_[state][c] = step(static_cast<State>(state), static_cast<unsigned char>(c));
}

TextGrammar::State TextGrammar::step(State state, unsigned char c) const {
  const bool is_start = state == kLineStart || state == kFieldStart;
  if (c == '\n') return kEvent;
  if (state == kComment) return kComment;
  if (state == kQuoted) return c == '"' ? kQuote : kQuoted;
  if (is_start && blank_[c]) return state;
  if (ends_[c]) return kEvent;
  if (state == kQuote || state == kQuoteEnd)
    return state == kQuote && c == '"' ? kQuoted : kQuoteEnd;
  if (blank_[c]) return is_number(state) ? kBlanks : kText;
  if (c == '"' && dialect_.has_quotes) return is_start ? kQuoted : kText;
  if (c == '#' && dialect_.has_comments) return state == kLineStart ? kEvent : kText;
  if (c >= '0' && c <= '9') {
    if (is_start || state == kSign || state == kInteger) return kInteger;
    if (state == kPoint || state == kFraction) return kFraction;
    if (state >= kExponent && state <= kExponentDigits) return kExponentDigits;
  }
  if (c == '+' || c == '-') {
    if (is_start) return kSign;
    if (state == kExponent) return kExponentSign;
  }
  if (c == '.') {
    if (is_start || state == kSign) return kPoint;
    if (state == kInteger) return kFraction;
  }
  if ((c == 'e' || c == 'E') && (state == kInteger || state == kFraction)) return kExponent;
  return kText;
}

bool TextGrammar::begins_comment(const char* place, const char* end) const {
  constexpr std::ptrdiff_t kColor = 7;  // #rrggbb
  if (end - place < kColor) return true;
  const bool is_color = std::all_of(place + 1, place + kColor, [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
  return !is_color || !(ends_field(place[kColor]) || is_blank(place[kColor]));
}

std::string_view TextGrammar::text_of(std::string_view field, std::string& room) const {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  if (!dialect_.has_quotes || !field.starts_with('"')) return field;
  room.clear();
  bool in_quotes = true;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '"' && in_quotes) {
      in_quotes = i + 1 < field.size() && field[i + 1] == '"';  // a quote in it
      if (!in_quotes) continue;
      ++i;
    }
    room += field[i];
  }
  return room;
}

std::optional<double> TextGrammar::number_of(std::string_view field) const {
  constexpr std::string_view kMissing[] = {"",     "NA",   "N/A",  "n/a",  "NaN",  "nan", "NAN",
                                           "-nan", "-NaN", "NULL", "null", "None", "<NA>"};
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::string room;
  field = text_of(field, room);
  if (std::find(std::begin(kMissing), std::end(kMissing), field) != std::end(kMissing)) return kNan;
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  double number = 0;
  const auto result = fast_float::from_chars(field.data(), field.data() + field.size(), number);
  // fast_float 4 and newer report 1e999 and 1e-999 so, and still set infinity and 0.
  const bool is_number = result.ec == std::errc{} || result.ec == std::errc::result_out_of_range;
  if (!is_number || result.ptr != field.data() + field.size()) return std::nullopt;
  return number;
}

}  // namespace roundel
