#include "renderer/format/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace roundel {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? text.substr(1) : text;
}

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

bool is_special(std::string_view digits) {
  for (const std::string_view name : {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})
    if (digits == name) return true;
  return false;
}

// Reason why text that starts like a number is invalid, or "".
std::string_view problem_with(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (is_special(digits)) return "numbers must be finite";
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
    return "hexadecimal numbers are not allowed";
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] == 'o' || digits[1] == 'O'))
    return "octal numbers are not allowed";
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]))
    return "leading zeros are not allowed";
  if (digits.find('_') != std::string_view::npos) return "underscores are not allowed";
  return {};
}

// [digits][.digits][e[sign]digits] with a digit before or after the point and no leading zeros.
bool is_decimal(std::string_view text) {
  const std::size_t whole = count_digits(text);
  if (whole > 1 && text[0] == '0') return false;
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    fraction = count_digits(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text = without_sign(text.substr(1));
    const std::size_t exponent = count_digits(text);
    if (exponent == 0) return false;
    text.remove_prefix(exponent);
  }
  return text.empty();
}

// from_chars refuses plus signs.
std::string_view without_plus(std::string_view text) {
  return text[0] == '+' ? text.substr(1) : text;
}

}  // namespace

bool looks_like_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty()) return false;
  if (is_digit(digits[0]) || is_special(digits)) return true;
  return digits[0] == '.' && digits.size() > 1 && is_digit(digits[1]);
}

ParsedNumber<double> parse_number(std::string_view text) {
  if (!is_decimal(without_sign(text))) return {std::nullopt, problem_with(text)};
  const std::string_view digits = without_plus(text);
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc{} || !std::isfinite(value))
    return {std::nullopt, "beyond the range of binary64 numbers"};
  return {value, {}};
}

std::optional<double> parse_with_unit(std::string_view text, std::string_view unit) {
  if (text.size() <= unit.size() || !text.ends_with(unit)) return std::nullopt;
  return parse_number(text.substr(0, text.size() - unit.size())).value;
}

ParsedNumber<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty() || count_digits(digits) != digits.size() ||
      (digits.size() > 1 && digits[0] == '0'))
    return {std::nullopt, problem_with(text)};
  const std::string_view number = without_plus(text);
  std::int64_t value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec != std::errc{}) return {std::nullopt, "too large"};
  return {value, {}};
}

std::optional<Ratio> parse_ratio(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto read = [](std::string_view digits) -> double {
    constexpr std::size_t kMaxDigits = 7;
    if (digits.size() > kMaxDigits || digits.empty() || !is_digit(digits[0])) return 0;
    return static_cast<double>(parse_integer(digits).value.value_or(0));
  };
  const Ratio ratio{read(text.substr(0, slash)), read(text.substr(slash + 1))};
  return ratio.numerator > 0 && ratio.denominator > 0 ? std::optional(ratio) : std::nullopt;
}

std::optional<double> parse_key_time(std::string_view text, Ratio fps) {
  if (const std::optional<double> seconds = parse_with_unit(text, "s")) {
    if (fps.denominator == 1) return *seconds * fps.numerator;
    // 1.001s at 24000/1001 are exactly 24 frames; binary64 would miss them by a bit.
    const std::string_view digits = without_plus(text);
    long double exact = 0;
    std::from_chars(digits.data(), digits.data() + digits.size() - 1, exact);
    return static_cast<double>(exact * fps.numerator / fps.denominator);
  }
  const std::optional<std::int64_t> frame = parse_integer(text).value;
  return frame ? std::optional(static_cast<double>(*frame)) : std::nullopt;
}

}  // namespace roundel
