#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/data/table.h"

namespace roundel {

/// How a value lies in a binary file.
struct Element {
  enum class Kind : std::uint8_t {
    kBool,      ///< 1 byte; all but 0 is 1
    kInteger,   ///< of 1, 2, 4 or 8 bytes
    kUnsigned,  ///< as kInteger
    kFloat,     ///< of 2, 4 or 8 bytes
    kTime,      ///< NumPy's: an integer of 8 bytes, the least is missing
    kBytes,     ///< a text of at most `size` bytes, ended by zeros
    kUtf32,     ///< a text of at most size / 4 characters, ended by zeros
    kPlace,     ///< a text of any length: 8 bytes, its place among those of its run, from 1, or 0
  };
  Kind kind = Kind::kFloat;
  bool is_big_endian = false;
  std::uint64_t size = 4;  ///< bytes

  bool is_text() const {
    return kind == Kind::kBytes || kind == Kind::kUtf32 || kind == Kind::kPlace;
  }
  /// The column of such values.
  TableColumn column(std::string name) const;
};

/// Converts out.size() numbers, the first at `in`, each `stride` bytes behind the one before it.
/// True where one of them is a whole number beyond 2⁵³, which may have been rounded.
bool read_numbers(const Element& element, const std::byte* in, std::size_t stride,
                  std::span<double> out);
/// The first of these numbers, as read_numbers() gave them, that was rounded, and its digits.
struct RoundedElement {
  std::size_t index;
  std::string digits;
};
std::optional<RoundedElement> find_rounded(const Element& element, const std::byte* in,
                                           std::size_t stride, std::span<const double> numbers);
/// Table::read_order_keys() of elements that are such whole numbers.
void read_order_keys(const Element& element, const std::byte* in, std::size_t stride,
                     bool descending, std::span<std::uint64_t> keys);
/// Reads texts, which `rows` keeps. Invalid characters become U+FFFD. Texts of kPlace lie in
/// rows.placed_texts(), each ended by a zero.
void read_texts(const Element& element, const std::byte* in, std::size_t stride,
                std::span<std::string_view> out, TableRows& rows);

}  // namespace roundel
