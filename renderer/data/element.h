#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/data/table.h"

namespace roundel {

/// A value in a binary file.
struct Element {
  enum class Kind : std::uint8_t {
    kBool,      ///< 1 byte; all but 0 is 1
    kInteger,   ///< signed, 1, 2, 4 or 8 bytes
    kUnsigned,  ///< like kInteger
    kFloat,     ///< 2, 4 or 8 bytes
    kTime,      ///< NumPy's: an integer of 8 bytes; its minimum is missing
    kBytes,     ///< a text of at most `size` bytes, zero-padded
    kUtf32,     ///< a text of at most size / 4 characters, zero-padded
    kPlace,     ///< a text of any length: 8 bytes, its number in its run from 1, or 0
  };
  Kind kind = Kind::kFloat;
  bool is_big_endian = false;
  std::uint64_t size = 4;  ///< bytes

  bool is_text() const {
    return kind == Kind::kBytes || kind == Kind::kUtf32 || kind == Kind::kPlace;
  }
  TableColumn column(std::string name) const;
};

/// Converts out.size() numbers, the first at `in`, each `stride` bytes after the previous. True if
/// one is a whole number beyond 2⁵³, perhaps rounded.
bool read_numbers(const Element& element, const std::byte* in, std::size_t stride,
                  std::span<double> out);
/// First rounded number of read_numbers(), with its digits.
struct RoundedElement {
  std::size_t index;
  std::string digits;
};
std::optional<RoundedElement> find_rounded(const Element& element, const std::byte* in,
                                           std::size_t stride, std::span<const double> numbers);
/// Table::read_order_keys() for such whole numbers.
void read_order_keys(const Element& element, const std::byte* in, std::size_t stride,
                     bool descending, std::span<std::uint64_t> keys);
/// `rows` keeps the texts. Invalid characters become U+FFFD. Texts of kPlace come from
/// rows.placed_texts(), each ended by a zero.
void read_texts(const Element& element, const std::byte* in, std::size_t stride,
                std::span<std::string_view> out, TableRows& rows);

}  // namespace roundel
