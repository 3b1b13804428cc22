#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// A longer field is a text, whatever stands in it: not all of its bytes are in memory at once
/// while a file is gone through.
inline constexpr std::size_t kMaxNumberBytes = std::size_t{1} << 16;

/// How lines are divided into fields.
struct TextDialect {
  char delimiter = ',';      ///< ' ' stands for any run of blanks
  bool has_quotes = true;    ///< "a ""field"", over lines" is one
  bool has_comments = true;  ///< lines that begin with #, but for colours (#rrggbb)
};

/// Reads fields of a dialect. An automaton, a step a byte: a field that is a number ends in another
/// state than one that is not.
class TextGrammar {
 public:
  enum State : std::uint8_t {
    kLineStart,  ///< blanks only, so far
    kFieldStart,
    kSign,
    kInteger,
    kPoint,  ///< before any digit
    kFraction,
    kExponent,
    kExponentSign,
    kExponentDigits,
    kBlanks,  ///< behind a number
    kText,
    kQuoted,
    kQuote,     ///< within or at the end of a quoted field
    kQuoteEnd,  ///< behind the end of a quoted field
    kComment,
    kStates,
    kEvent,  ///< not a state: a line feed, a delimiter that ends a field, or the # of a comment
  };

  explicit TextGrammar(const TextDialect& dialect);

  const TextDialect& dialect() const { return dialect_; }
  bool has_runs_of_blanks() const { return dialect_.delimiter == ' '; }
  State next(State state, char c) const { return next_[state][static_cast<unsigned char>(c)]; }
  static bool is_number(State end) {
    return end == kInteger || end == kFraction || end == kExponentDigits || end == kBlanks;
  }
  static bool was_quoted(State end) { return end == kQuote || end == kQuoteEnd; }
  /// True for the delimiter and a line feed.
  bool ends_field(char c) const { return ends_[static_cast<unsigned char>(c)]; }
  /// True for what may stand before and behind a field.
  bool is_blank(char c) const { return blank_[static_cast<unsigned char>(c)]; }

  /// Whether the # at `place` begins a comment, rather than a colour. There is a line feed at or
  /// before `end`.
  bool begins_comment(const char* place, const char* end) const;

  /// What a field says, without blanks around it and without quotes; `room` is for those.
  std::string_view text_of(std::string_view field, std::string& room) const;
  /// The field's number, NaN where it is missing; nothing where it is a text.
  std::optional<double> number_of(std::string_view field) const;

 private:
  State step(State state, unsigned char c) const;

  TextDialect dialect_;
  std::array<std::array<State, 256>, kStates> next_{};
  std::array<bool, 256> ends_{}, blank_{};
};

}  // namespace roundel
