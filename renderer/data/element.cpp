#include "renderer/data/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace roundel {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read as such");

std::uint8_t reversed(std::uint8_t bits) {
  return bits;
}
std::uint16_t reversed(std::uint16_t bits) {
  return __builtin_bswap16(bits);
}
std::uint32_t reversed(std::uint32_t bits) {
  return __builtin_bswap32(bits);
}
std::uint64_t reversed(std::uint64_t bits) {
  return __builtin_bswap64(bits);
}

template <typename Bits>
Bits bits_at(const std::byte* in, bool is_big_endian) {
  Bits bits;
  std::memcpy(&bits, in, sizeof(bits));
  return is_big_endian ? reversed(bits) : bits;
}

/// Writes to_number(bits) for each element's bits.
template <typename Bits, typename ToNumber>
void convert(const std::byte* in, std::size_t stride, bool is_big_endian, std::span<double> out,
             const ToNumber& to_number) {
  const auto convert_all = [&](bool swap) {
    for (double& value : out) {
      value = to_number(bits_at<Bits>(in, swap));
      in += stride;
    }
  };
  // A loop per byte order keeps the branch outside.
  is_big_endian ? convert_all(true) : convert_all(false);
}

double number_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                       : std::numeric_limits<double>::quiet_NaN())
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -size : size;
}

double number_of_time(std::uint64_t bits) {
  const auto count = std::bit_cast<std::int64_t>(bits);
  return count == std::numeric_limits<std::int64_t>::min()
             ? std::numeric_limits<double>::quiet_NaN()
             : static_cast<double>(count);
}

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

bool is_wide_integer(const Element& element) {
  return element.size == 8 &&
         (element.kind == Element::Kind::kInteger || element.kind == Element::Kind::kUnsigned ||
          element.kind == Element::Kind::kTime);
}

void append_utf8(std::uint32_t character, std::string& text) {
  if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) character = 0xFFFD;
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_continuation = [&](int shift) { add(0x80 | (character >> shift & 0x3F)); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xC0 | character >> 6);
  } else if (character < 0x10000) {
    add(0xE0 | character >> 12);
    add_continuation(6);
  } else {
    add(0xF0 | character >> 18);
    add_continuation(12);
    add_continuation(6);
  }
  add_continuation(0);
}

}  // namespace

TableColumn Element::column(std::string name) const {
  TableColumn column;
  column.name = std::move(name);
  column.is_text = is_text();
  if (is_text()) column.text_bytes = size;
  if (kind == Kind::kUnsigned && size <= 2) column.one = size == 1 ? 255 : 65535;
  column.has_order_keys = is_wide_integer(*this);
  column.fits_float = !column.is_text && size <= (kind == Kind::kFloat ? 4 : 2);
  return column;
}

bool read_numbers(const Element& element, const std::byte* in, std::size_t stride,
                  std::span<double> out) {
  const bool swap = element.is_big_endian;
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  bool is_beyond = false;
  // Numbers from −offset to kExact are exact.
  const auto wide = [&](std::uint64_t offset, const auto& to_number) {
    convert<std::uint64_t>(in, stride, swap, out, [&](std::uint64_t bits) {
      is_beyond |= bits + offset > kExact + offset;
      return to_number(bits);
    });
  };
  const auto integers = [&]<typename Number>(Number /*type*/) {
    using Bits = std::make_unsigned_t<Number>;
    convert<Bits>(in, stride, swap, out,
                  [](Bits bits) { return static_cast<double>(std::bit_cast<Number>(bits)); });
  };
  switch (element.kind) {
    case Element::Kind::kBool:
      convert<std::uint8_t>(in, stride, swap, out,
                            [](std::uint8_t bits) { return bits == 0 ? 0.0 : 1.0; });
      break;
    case Element::Kind::kInteger:
      if (element.size == 1) integers(std::int8_t{});
      if (element.size == 2) integers(std::int16_t{});
      if (element.size == 4) integers(std::int32_t{});
      if (element.size == 8)
        wide(kExact, [](std::uint64_t bits) {
          return static_cast<double>(std::bit_cast<std::int64_t>(bits));
        });
      break;
    case Element::Kind::kUnsigned:
      if (element.size == 1) integers(std::uint8_t{});
      if (element.size == 2) integers(std::uint16_t{});
      if (element.size == 4) integers(std::uint32_t{});
      if (element.size == 8) wide(0, [](std::uint64_t bits) { return static_cast<double>(bits); });
      break;
    case Element::Kind::kFloat:
      if (element.size == 2) convert<std::uint16_t>(in, stride, swap, out, number_of_half);
      if (element.size == 4)
        convert<std::uint32_t>(in, stride, swap, out, [](std::uint32_t bits) {
          return static_cast<double>(std::bit_cast<float>(bits));
        });
      if (element.size == 8)
        convert<std::uint64_t>(in, stride, swap, out,
                               [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
      break;
    case Element::Kind::kTime:
      wide(kExact, number_of_time);
      break;
    case Element::Kind::kBytes:
    case Element::Kind::kUtf32:
    case Element::Kind::kPlace:
      break;
  }
  return is_beyond;
}

std::optional<RoundedElement> find_rounded(const Element& element, const std::byte* in,
                                           std::size_t stride, std::span<const double> numbers) {
  constexpr double kExact = 0x1p53;
  constexpr int kDigits = 53;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(std::abs(numbers[i]) >= kExact)) continue;
    const auto bits = bits_at<std::uint64_t>(in + i * stride, element.is_big_endian);
    const std::uint64_t size = numbers[i] < 0 ? -bits : bits;
    if (static_cast<int>(std::bit_width(size >> std::countr_zero(size))) <= kDigits) continue;
    return RoundedElement{i, element.kind == Element::Kind::kUnsigned
                                 ? std::to_string(bits)
                                 : std::to_string(std::bit_cast<std::int64_t>(bits))};
  }
  return std::nullopt;
}

void read_order_keys(const Element& element, const std::byte* in, std::size_t stride,
                     bool descending, std::span<std::uint64_t> keys) {
  const bool is_time = element.kind == Element::Kind::kTime;
  const std::uint64_t sign = element.kind == Element::Kind::kUnsigned ? 0 : kSignBit;
  for (std::uint64_t& key : keys) {
    const auto bits = bits_at<std::uint64_t>(in, element.is_big_endian);
    const bool is_missing = is_time && bits == kSignBit;
    key = is_missing ? 0 : descending ? ~(bits ^ sign) : bits ^ sign;
    in += stride;
  }
}

void read_texts(const Element& element, const std::byte* in, std::size_t stride,
                std::span<std::string_view> out, TableRows& rows) {
  std::string& converted = rows.text_buffer();
  for (std::string_view& text : out) {
    if (element.kind == Element::Kind::kBytes) {
      text = {reinterpret_cast<const char*>(in), element.size};
      text = text.substr(0, text.find_last_not_of('\0') + 1);
    } else if (element.kind == Element::Kind::kPlace) {
      const std::string& placed = rows.placed_texts();
      std::uint64_t place = 0;
      std::memcpy(&place, in, sizeof(place));
      text = place == 0 || place > placed.size() ? "" : placed.c_str() + (place - 1);
    } else {
      converted.clear();
      std::size_t zeros = 0;  // count only if something follows
      for (std::size_t i = 0; i + 4 <= element.size; i += 4) {
        const auto character = bits_at<std::uint32_t>(in + i, element.is_big_endian);
        if (character == 0) {
          ++zeros;
          continue;
        }
        converted.append(zeros, '\0');
        zeros = 0;
        append_utf8(character, converted);
      }
      text = converted;
    }
    text = rows.keep(text);
    in += stride;
  }
}

}  // namespace roundel
