#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/format/spec.h"

// Short names for the specs of single values.
namespace roundel {

inline SpecPtr number(double min, double max) {
  return spec(NumberSpec{min, max});
}
inline SpecPtr number_above(double min, double max) {
  return spec(NumberSpec{min, max, true});
}
inline SpecPtr integer(std::int64_t min, std::int64_t max) {
  return spec(IntegerSpec{min, max});
}
inline SpecPtr boolean() {
  return spec(BooleanSpec{});
}
inline SpecPtr text(std::string expected) {
  return spec(StringSpec{}, std::move(expected));
}
inline SpecPtr one_of(std::vector<std::string> names) {
  return spec(EnumSpec{std::move(names)});
}
template <std::size_t kCount>
inline SpecPtr one_of(const std::array<const char*, kCount>& names) {
  return one_of({names.begin(), names.end()});
}
inline SpecPtr list_of(SpecPtr item, std::uint64_t size, std::string expected,
                       std::string definition = "") {
  return spec(ListSpec{std::move(item), size, size}, std::move(expected), std::move(definition));
}

inline constexpr double kMaxNumber = 1e300;
inline SpecPtr any_number() {
  return number(-kMaxNumber, kMaxNumber);
}

}  // namespace roundel
