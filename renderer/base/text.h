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

/// quoted(text): printable(), in double quotes, cut to about 60 bytes. An object, since a call of a
/// function would find std::quoted for a std::string.
struct Quote {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quote quoted{};  // NOLINT(readability-identifier-naming): called as a function

/// Makes a text fit for one line: \xNN replaces bytes of control characters, of characters that end
/// a line or change text direction, and of invalid UTF-8.
std::string printable(std::string_view text);
/// A name as one word of a shell command, quoted if needed, unprintable text as bash's $'\\xNN'.
std::string shell_word(const std::string& name);

std::string escaped(std::string_view text,
                    std::initializer_list<std::pair<char, std::string_view>> escapes);

/// Reads the whole text as std::from_chars does.
template <typename Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

/// Splits at line feeds; a final one adds no line.
std::vector<std::string> lines_of(const std::string& text);

/// Converts A to Z only.
std::string lower_case(std::string text);

/// 1234567 as "1,234,567", in any locale.
std::string with_commas(std::uint64_t number);
/// "1 circle", "1,234 circles".
std::string counted(std::uint64_t count, std::string_view noun);

/// Offset of the first byte of invalid UTF-8 or of a control character except tab, line feed and
/// carriage return.
std::optional<std::size_t> find_non_text(std::string_view text);

bool is_utf8(std::string_view text);

/// Escapes unprintable characters in JSON, so that YAML accepts it.
std::string json_for_yaml(std::string_view json);

/// The candidate that `name` probably misspells, if one is close enough.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates);
/// ` (did you mean "NAME"?)`, or empty.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// `a, b and c`, optionally in quotes.
std::string join_names(const std::vector<std::string>& names, std::string_view last_separator,
                       bool in_quotes);
/// "there is a", "there are a, b and c", "there are none"; printable, at most eleven names and the
/// number of the others.
std::string list_names(const std::vector<std::string>& names);

/// True if binary64 has `number` instead of the whole number with these digits and sign. False for
/// other texts.
bool is_rounded(std::string_view digits, double number);
std::string rounding_text(std::string_view digits, double number);

/// "64.0 GiB"; MiB below 1 GiB, TiB from 1 TiB.
std::string memory_text(double bytes);

}  // namespace roundel
