#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace roundel {

template <typename T>
struct ParsedNumber {
  std::optional<T> value;
  std::string_view problem;  ///< such as "leading zeros are not allowed"; may be empty
};

/// True for text that readers see as a number, even a malformed one: 12, -.5, 0x10, 1_000, .inf.
bool looks_like_number(std::string_view text);

/// Decimal numbers of YAML 1.2's core schema (sign, digits, fraction, exponent), finite, without
/// leading zeros.
ParsedNumber<double> parse_number(std::string_view text);

/// A well-formed number directly followed by a unit: 2px, 0.5%.
std::optional<double> parse_with_unit(std::string_view text, std::string_view unit);

/// A rate, such as 24000/1001 frames a second.
struct Ratio {
  double numerator = 1, denominator = 1;
};
/// N/D, whole numbers from 1 to 9999999 without spaces.
std::optional<Ratio> parse_ratio(std::string_view text);

/// A frame number, or seconds as 2.5s; returns frames.
std::optional<double> parse_key_time(std::string_view text, Ratio fps);

/// Sign and digits, without leading zeros.
ParsedNumber<std::int64_t> parse_integer(std::string_view text);

}  // namespace roundel
