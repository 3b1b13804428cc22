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
  const auto is_at_start = [](std::size_t state) {
    return state == kLineStart || state == kFieldStart;
  };
  for (std::size_t state = 0; state < kStates; ++state) {
    const State other = state == kQuote || state == kQuoteEnd   ? kQuoteEnd
                        : state == kQuoted || state == kComment ? static_cast<State>(state)
                                                                : kText;
    std::array<State, 256>& next = next_[state];
    next.fill(other);
    for (std::size_t c = 0; c < 256; ++c) {
      if (c == '\n') {
        next[c] = kEvent;
      } else if (state == kQuoted || state == kComment) {
        if (c == '"' && state == kQuoted) next[c] = kQuote;
      } else if (is_at_start(state) && blank_[c]) {
        next[c] = static_cast<State>(state);
      } else if (ends_[c]) {
        next[c] = kEvent;
      } else if (blank_[c]) {
        if (is_number(static_cast<State>(state))) next[c] = kBlanks;
      } else if (c == '"' && dialect.has_quotes) {
        if (is_at_start(state) || state == kQuote) next[c] = kQuoted;
      } else if (c == '#' && dialect.has_comments) {
        if (state == kLineStart) next[c] = kEvent;
      } else if (c >= '0' && c <= '9') {
        if (is_at_start(state) || state == kSign || state == kInteger) next[c] = kInteger;
        if (state == kPoint || state == kFraction) next[c] = kFraction;
        if (state >= kExponent && state <= kExponentDigits) next[c] = kExponentDigits;
      } else if (c == '+' || c == '-') {
        if (is_at_start(state)) next[c] = kSign;
        if (state == kExponent) next[c] = kExponentSign;
      } else if (c == '.') {
        if (is_at_start(state) || state == kSign) next[c] = kPoint;
        if (state == kInteger) next[c] = kFraction;
      } else if (c == 'e' || c == 'E') {
        if (state == kInteger || state == kFraction) next[c] = kExponent;
      }
    }
  }
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
    if (field[i] != '"') {
      room += field[i];
    } else if (in_quotes && i + 1 < field.size() && field[i + 1] == '"') {
      room += field[i++];
    } else if (in_quotes) {
      in_quotes = false;
    } else {
      room += field[i];
    }
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
  if (result.ec != std::errc{} || result.ptr != field.data() + field.size()) return std::nullopt;
  return number;
}

}  // namespace roundel
