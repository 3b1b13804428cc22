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

/// quoted(text): text from a file, fit for a message: printable(), in double quotes, shortened to
/// some 60 bytes. An object, since calls of a function would find std::quoted for a std::string.
struct Quote {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quote quoted{};  // NOLINT(readability-identifier-naming): called as a function

/// A text fit to be shown in one line: \xNN stands for each byte of control characters, of
/// characters that end a line or change the direction of text, and of what is not UTF-8.
std::string printable(std::string_view text);
/// A name as one word of a shell's command line, in quotes where it needs them; what printable()
/// does not leave as it stands is in bash's $'\\xNN'.
std::string shell_word(const std::string& name);

/// The text with each of these characters replaced.
std::string escaped(std::string_view text,
                    std::initializer_list<std::pair<char, std::string_view>> escapes);

/// The number that the whole text is, as std::from_chars reads it.
template <typename Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

/// The lines of a text, without their line feeds; one at the very end begins no further line.
std::vector<std::string> lines_of(const std::string& text);

/// The text with a to z in place of A to Z; other characters stay.
std::string lower_case(std::string text);

/// 1234567 as "1,234,567", whatever the locale.
std::string with_commas(std::uint64_t number);
/// "1 circle", "1,234 circles".
std::string counted(std::uint64_t count, std::string_view noun);

/// Offset of the first byte that is not part of well-formed UTF-8 or is a control character other
/// than tab, line feed and carriage return.
std::optional<std::size_t> find_non_text(std::string_view text);

bool is_utf8(std::string_view text);

/// JSON in characters that can be shown, all of which YAML takes: others, which are in its texts,
/// are written as their numbers.
std::string json_for_yaml(std::string_view json);

/// The candidate that `name` most likely is a misspelling of, if any is close enough.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates);
/// ` (did you mean "NAME"?)`, or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// `a, b and c`, each in quotes where asked for.
std::string join_names(const std::vector<std::string>& names, std::string_view last_separator,
                       bool in_quotes);
/// "there is a", "there are a, b and c", "there are none": of many names the first eleven, made
/// printable, and how many more there are.
std::string there_are(const std::vector<std::string>& names);

/// True where binary64 has not the whole number with these digits, and a sign, but `number` next to
/// it. Text that is no whole number is none.
bool is_rounded(std::string_view digits, double number);
/// What to say then.
std::string rounding_text(std::string_view digits, double number);

/// "64.0 GiB"; MiB below 1 GiB, TiB from 1 TiB.
std::string memory_text(double bytes);

}  // namespace roundel
