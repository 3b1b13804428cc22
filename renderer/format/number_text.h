#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace roundel {

/// A number read from text, or why it is invalid.
template <typename T>
struct ParsedNumber {
  std::optional<T> value;
  std::string_view problem;  ///< such as "leading zeros are not allowed"; may be empty
};

/// True for text that readers see as a number, well-formed or not: 12, -.5, 0x10, 1_000, .inf.
bool looks_like_number(std::string_view text);

/// Parses a decimal number of YAML 1.2's core schema (sign, digits, fraction, exponent), finite,
/// without leading zeros.
ParsedNumber<double> parse_number(std::string_view text);

/// Parses a well-formed number directly followed by a unit: 2px, 0.5%.
std::optional<double> parse_with_unit(std::string_view text, std::string_view unit);

/// A rate, such as 24000/1001 frames a second.
struct Ratio {
  double numerator = 1, denominator = 1;
};
/// Parses N/D, whole numbers from 1 to 9999999 without spaces.
std::optional<Ratio> parse_ratio(std::string_view text);

/// Parses the time of a key, a frame number or seconds as 2.5s; returns frames.
std::optional<double> parse_key_time(std::string_view text, Ratio fps);

/// Parses a decimal integer: sign and digits, without leading zeros.
ParsedNumber<std::int64_t> parse_integer(std::string_view text);

}  // namespace roundel
