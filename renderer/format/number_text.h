#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace roundel {

/// A number read from text, or why it is none.
template <typename T>
struct ParsedNumber {
  std::optional<T> value;
  std::string_view problem;  ///< such as "leading zeros are not allowed"; may be empty
};

/// True for text that a reader takes for a number, well-formed or not: 12, -.5, 0x10, 1_000, .inf.
bool looks_like_number(std::string_view text);

/// Decimal numbers as in YAML 1.2's core schema (sign, digits, fraction, exponent), finite, without
/// leading zeros.
ParsedNumber<double> parse_number(std::string_view text);

/// A number followed by a unit and nothing else: 2px, 0.5%. Its value, if it is well-formed.
std::optional<double> parse_with_unit(std::string_view text, std::string_view unit);

/// A rate, such as 24000/1001 frames a second.
struct Ratio {
  double numerator = 1, denominator = 1;
};
/// Two whole numbers from 1 to 9999999 as N/D, without spaces.
std::optional<Ratio> parse_ratio(std::string_view text);

/// When a key is: a frame number, or seconds as 2.5s. In frames.
std::optional<double> parse_key_time(std::string_view text, Ratio fps);

/// Decimal integers: sign and digits, without leading zeros.
ParsedNumber<std::int64_t> parse_integer(std::string_view text);

}  // namespace roundel
