#include "renderer/scene/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxHeaderBytes = kMaxNpyHeaderBytes - 12;

// The header is the text of a Python dict with exactly the keys descr, fortran_order and shape.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      const std::string_view key = string_literal();
      expect(':');
      if (key == "descr" && !type_) {
        read_type();
      } else if (key == "fortran_order" && !fortran_order_) {
        fortran_order_ = boolean();
      } else if (key == "shape" && !shape_) {
        shape_ = tuple();
      } else {
        fail(fmt::format("unexpected key {} in the header", quoted(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (position_ != text_.size()) malformed();
    if (!type_ || !fortran_order_ || !shape_)
      fail("expected the keys descr, fortran_order and shape in the header");
    return check();
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ExitCode::kInvalidScene, path_ + ": " + problem);
  }
  [[noreturn]] void malformed() const {
    fail("malformed header at " + quoted(text_.substr(position_, 20)));
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t' ||
                                        text_[position_] == '\n' || text_[position_] == '\r'))
      ++position_;
  }
  bool take(char c) {
    skip_space();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) malformed();
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  std::string_view string_literal() {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') malformed();
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) malformed();
    const std::string_view literal = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return literal;
  }

  void read_type() {
    skip_space();
    if (text_.substr(position_).starts_with('['))
      fail("expected elements of type '<f4' or '<f8', got a structured type");
    type_ = string_literal();
  }

  bool boolean() {
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    malformed();
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    while (!take(')')) {
      skip_space();
      std::uint64_t number = 0;
      const char* begin = text_.data() + position_;
      const auto result = std::from_chars(begin, text_.data() + text_.size(), number);
      if (result.ec == std::errc::result_out_of_range) fail("the shape's numbers are too large");
      if (result.ec != std::errc{}) malformed();
      position_ += static_cast<std::size_t>(result.ptr - begin);
      numbers.push_back(number);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  NpyHeader check() const {
    NpyHeader header;
    header.is_double = *type_ == "<f8";
    if (!header.is_double && *type_ != "<f4")
      fail(fmt::format("expected elements of type '<f4' or '<f8' (little-endian floats), got {}",
                       quoted(*type_)));
    if (*fortran_order_) fail("expected an array in C order, got Fortran order");
    if (shape_->size() != 2)
      fail(fmt::format("expected a two-dimensional array [n, k], got {}",
                       count_with_noun(shape_->size(), "dimension")));
    header.rows = (*shape_)[0];
    header.columns = (*shape_)[1];
    return header;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t position_ = 0;
  std::optional<std::string_view> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

void check_size(const NpyHeader& header, std::uint64_t file_size, const std::string& path) {
  const std::uint64_t element_size = header.is_double ? sizeof(double) : sizeof(float);
  const std::uint64_t available = file_size - header.data_offset;
  std::uint64_t needed = 0;
  const bool overflow = __builtin_mul_overflow(header.rows, header.columns, &needed) ||
                        __builtin_mul_overflow(needed, element_size, &needed);
  if (overflow)
    throw Error(ExitCode::kInvalidScene, fmt::format("{}: the shape ({}, {}) is too large", path,
                                                     header.rows, header.columns));
  if (needed != available)
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: expected {} bytes of elements for the shape ({}, {}), got {}",
                            path, needed, header.rows, header.columns, available));
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size,
                           const std::string& path) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::kInvalidScene, path + ": " + problem);
  };
  if (start.empty()) fail("expected an .npy array, got an empty file");
  const std::string_view bytes(reinterpret_cast<const char*>(start.data()), start.size());
  if (!bytes.starts_with(kMagic)) fail("expected an .npy array, but it does not start like one");
  const auto byte = [&](std::size_t i) -> std::size_t {
    if (i >= start.size()) fail("the file ends within its header");
    return std::to_integer<std::size_t>(start[i]);
  };
  const std::size_t version = byte(kMagic.size());
  if (version < 1 || version > 3)
    fail(fmt::format("expected .npy format version 1, 2 or 3, got {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t length_offset = kMagic.size() + 2;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(length_offset + i) << (8 * i);
  if (length > kMaxHeaderBytes)
    fail(fmt::format("a header of {} bytes is too long (at most {})", length, kMaxHeaderBytes));
  const std::size_t header_offset = length_offset + length_bytes;
  if (length > start.size() - header_offset) fail("the file ends within its header");
  NpyHeader header = HeaderParser(bytes.substr(header_offset, length), path).parse();
  header.data_offset = header_offset + length;
  check_size(header, file_size, path);
  return header;
}

}  // namespace roundel
