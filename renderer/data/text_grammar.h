#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roundel {

/// Longer fields are always texts.
inline constexpr std::size_t kMaxNumberBytes = std::size_t{1} << 16;

/// Division of lines into fields.
struct TextDialect {
  char delimiter = ',';      ///< ' ': runs of blanks
  bool has_quotes = true;    ///< "a ""field"", over lines" is one
  bool has_comments = true;  ///< lines beginning with #, except colours (#rrggbb)
};

/// Finds rows and fields of a text [place, end) with a line feed at `end`.
class TextGrammar {
 public:
  explicit TextGrammar(const TextDialect& dialect);

  bool has_quotes() const { return dialect_.has_quotes; }
  bool ends_field(char c) const { return ends_[static_cast<unsigned char>(c)]; }
  /// Blanks may surround a field.
  const char* skip_blanks(const char* place) const {
    while (is_blank(*place)) ++place;
    return place;
  }
  /// `place`: a line's first byte that is not a blank.
  bool begins_comment(const char* place, const char* end) const {
    return *place == '#' && dialect_.has_comments && !begins_color(place, end);
  }

  /// Calls take(column, place), which returns the field's end. Returns the row's end.
  template <typename Take>
  const char* for_each_field(const char* line, const Take& take) const {
    const bool has_runs_of_blanks = dialect_.delimiter == ' ';
    const char* place = line;
    for (std::size_t column = 0;; ++column, ++place) {
      if (has_runs_of_blanks && *(place = skip_blanks(place)) == '\n') return place;
      place = take(column, place);
      if (*place == '\n') return place;
    }
  }
  /// Returns the delimiter or line feed after the field; `end` if its closing quote is missing.
  const char* field_end(const char* place, const char* end) const {
    place = skip_blanks(place);
    if (*place == '"' && has_quotes()) {
      place = quote_end(place, end);
      if (place == nullptr) return end;
    }
    while (!ends_field(*place)) ++place;
    return place;
  }
  /// True for an opening quote without a closing one.
  bool has_open_quote(const char* field, const char* end) const {
    field = skip_blanks(field);
    return *field == '"' && has_quotes() && quote_end(field, end) == nullptr;
  }

  /// A field's text without surrounding blanks and quotes; may lie in `buffer`.
  std::string_view text_of(std::string_view field, std::string& buffer) const;
  /// NaN if the field is missing; nothing if it is a text.
  std::optional<double> number_of(std::string_view field) const;

 private:
  bool is_blank(char c) const { return blank_[static_cast<unsigned char>(c)]; }
  bool begins_color(const char* place, const char* end) const;
  /// Position after the closing quote, or null.
  static const char* quote_end(const char* quote, const char* end);

  TextDialect dialect_;
  std::array<bool, 256> ends_{}, blank_{};
};

}  // namespace roundel
