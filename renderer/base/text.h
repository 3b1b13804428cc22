#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace roundel {

/// quoted(text) quotes text of a file in a message: printable(), in double quotes, cut to about 60
/// bytes. An object, since a function call would find std::quoted for a std::string.
struct Quote {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quote quoted{};  // NOLINT(readability-identifier-naming): called as a function

/// Makes a text fit for one line: \xNN replaces each byte of control characters, of characters that
/// end a line or change text direction, and of invalid UTF-8.
std::string printable(std::string_view text);
/// Returns a name as one word of a shell command, quoted if needed; unprintable text goes into
/// bash's $'\\xNN'.
std::string shell_word(const std::string& name);

/// Replaces each of these characters.
std::string escaped(std::string_view text,
                    std::initializer_list<std::pair<char, std::string_view>> escapes);

/// Parses the whole text as std::from_chars does; nothing if that fails.
template <typename Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

/// Splits a text into lines without their line feeds; a final line feed adds no line.
std::vector<std::string> lines_of(const std::string& text);

/// Converts A to Z to lower case; other characters stay.
std::string lower_case(std::string text);

/// 1234567 as "1,234,567", in any locale.
std::string with_commas(std::uint64_t number);
/// "1 circle", "1,234 circles".
std::string counted(std::uint64_t count, std::string_view noun);

/// Offset of the first byte that is invalid UTF-8 or a control character other than tab, line feed
/// and carriage return.
std::optional<std::size_t> find_non_text(std::string_view text);

bool is_utf8(std::string_view text);

/// Escapes characters inside JSON strings that cannot be shown, so that YAML accepts the text.
std::string json_for_yaml(std::string_view json);

/// Returns the candidate that `name` most likely misspells, if one is close enough.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates);
/// ` (did you mean "NAME"?)`, or empty.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// `a, b and c`, optionally in quotes.
std::string join_names(const std::vector<std::string>& names, std::string_view last_separator,
                       bool in_quotes);
/// "there is a", "there are a, b and c", "there are none": at most eleven names, made printable,
/// and the number of the others.
std::string there_are(const std::vector<std::string>& names);

/// True if the whole number with these digits, and a sign, is not exact in binary64 and was rounded
/// to `number`. False for text that is not a whole number.
bool is_rounded(std::string_view digits, double number);
/// The message about a rounded number.
std::string rounding_text(std::string_view digits, double number);

/// "64.0 GiB"; MiB below 1 GiB, TiB from 1 TiB.
std::string memory_text(double bytes);

}  // namespace roundel
