#include "renderer/data/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::uint64_t kMaxNpyNameBytes = std::uint64_t{16} << 20;  // for all fields
constexpr std::size_t kMaxNpyTextBytes = kMaxNpyHeaderBytes - 12;

// Parses a Python dict with exactly the keys descr, fortran_order and shape.
class NpyHeaderParser {
 public:
  NpyHeaderParser(std::string_view text, bool is_utf8, const std::string& path)
      : text_(text), is_utf8_(is_utf8), path_(path) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      const std::string_view key = string_literal();
      expect(':');
      if (key == "descr" && header_.element_bytes == 0) {
        header_.is_structured = next() == '[';
        header_.element_bytes = read_type("", 0);
        if (header_.element_bytes == 0) fail("expected elements of at least one byte");
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
    if (header_.element_bytes == 0 || !fortran_order_ || !shape_)
      fail("expected the keys descr, fortran_order and shape in the header");
    return check();
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ExitCode::kInvalidScene, path_ + ": " + problem);
  }
  [[noreturn]] void refuse_array(const std::string& problem) const {
    throw UnsuitedArray(path_, problem);
  }
  [[noreturn]] void malformed() const {
    fail("malformed header at " + quoted(text_.substr(position_, 20)));
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t' ||
                                        text_[position_] == '\n' || text_[position_] == '\r'))
      ++position_;
  }
  char next() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool take(char c) {
    if (next() != c || position_ == text_.size()) return false;
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
    const char quote = next();
    if (quote != '\'' && quote != '"') malformed();
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) malformed();
    const std::string_view literal = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return literal;
  }

  /// Returns UTF-8; headers before version 3 are in Latin-1.
  std::string name() {
    const bool has_title = take('(');
    if (has_title) {
      string_literal();
      expect(',');
    }
    std::string name;
    for (const char c : string_literal()) {
      const auto byte = static_cast<unsigned char>(c);
      if (is_utf8_ || byte < 0x80) {
        name += c;
      } else {
        name += static_cast<char>(0xC0 | byte >> 6);
        name += static_cast<char>(0x80 | (byte & 0x3F));
      }
    }
    if (has_title) expect(')');
    return name;
  }

  /// Adds a type's fields, the first at `offset` of the element. Returns its bytes.
  std::uint64_t read_type(const std::string& name, std::uint64_t offset) {
    if (++types_ > 2 * kMaxTableColumns) too_many_fields();
    if (!take('[')) return add_field(string_literal(), name, offset);
    std::uint64_t size = 0;
    while (!take(']')) {
      size += read_struct_field(name.empty() ? "" : name + ".", offset + size);
      if (size > kMaxTableRowBytes) too_large();
      if (!take(',')) {
        expect(']');
        break;
      }
    }
    return size;
  }

  /// ('name', type) or ('name', type, (shape)).
  std::uint64_t read_struct_field(const std::string& prefix, std::uint64_t offset) {
    if (prefix.size() > 200) fail("the type has too many levels");
    expect('(');
    const std::string name = prefix + this->name();
    expect(',');
    const std::size_t type = position_, fields = header_.fields.size();
    std::uint64_t size = read_type(name, offset);
    if (take(',') && next() != ')') {
      const std::vector<std::uint64_t> shape = tuple();
      const std::size_t end = position_;
      header_.fields.resize(fields);
      std::uint64_t copies = 1;
      for (const std::uint64_t length : shape)
        if (__builtin_mul_overflow(copies, length, &copies)) too_large();
      const std::uint64_t size_each = size;
      if (__builtin_mul_overflow(size_each, copies, &size) || size > kMaxTableRowBytes) too_large();
      for (std::uint64_t i = 0; i < copies && size_each > 0; ++i) {
        position_ = type;
        read_type(name + index_text(i, shape), offset + i * size_each);
        if (header_.fields.size() == fields) break;  // padding
      }
      position_ = end;
    }
    expect(')');
    return size;
  }

  /// "[1,2]" for the element at `index` in C order.
  static std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
    std::string text;
    for (std::size_t d = shape.size(); d-- > 0; index /= shape[d])
      text.insert(0, fmt::format(",{}", index % shape[d]));
    return text.empty() ? text : "[" + text.substr(1) + "]";
  }

  std::uint64_t add_field(std::string_view type, const std::string& name, std::uint64_t offset) {
    std::string_view rest = type;
    Element element;
    if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
      element.is_big_endian = rest[0] == '>';
      rest.remove_prefix(1);
    }
    const char letter = rest.empty() ? '\0' : rest[0];
    rest.remove_prefix(rest.empty() ? 0 : 1);
    const auto number = std::from_chars(rest.data(), rest.data() + rest.size(), element.size);
    // A time's size precedes its unit: "<M8[ns]".
    const bool is_whole = number.ptr == rest.data() + rest.size() || *number.ptr == '[';
    const bool is_integer =
        element.size == 1 || element.size == 2 || element.size == 4 || element.size == 8;
    const auto refuse = [&] {
      refuse_array(fmt::format("{}expected numbers or texts, got elements of type {}{}",
                               name.empty() ? "" : name + ": ", quoted(type),
                               letter == 'O' ? " (Python objects)" : ""));
    };
    if (number.ec != std::errc{} || !is_whole) refuse();
    if (element.size > kMaxTableRowBytes) too_large();
    switch (letter) {
      case 'V':  // a gap between fields
        if (!name.empty() && name.back() != '.') refuse();
        return element.size;
      case 'b':
        if (element.size != 1) refuse();
        element.kind = Element::Kind::kBool;
        break;
      case 'i':
      case 'u':
        if (!is_integer) refuse();
        element.kind = letter == 'i' ? Element::Kind::kInteger : Element::Kind::kUnsigned;
        break;
      case 'f':
        if (!is_integer || element.size == 1) refuse();
        element.kind = Element::Kind::kFloat;
        break;
      case 'c': {
        if (element.size != 8 && element.size != 16) refuse();
        element.size /= 2;
        const std::string prefix = name.empty() ? "" : name + ".";
        add({prefix + "real", element, offset});
        add({prefix + "imag", element, offset + element.size});
        return 2 * element.size;
      }
      case 'm':
      case 'M':
        if (element.size != 8) refuse();
        element.kind = Element::Kind::kTime;
        break;
      case 'S':
      case 'a':
        element.kind = Element::Kind::kBytes;
        break;
      case 'U':
        element.kind = Element::Kind::kUtf32;
        element.size *= 4;
        break;
      default:
        refuse();
    }
    add({name, element, offset});
    return element.size;
  }

  void add(NpyField field) {
    name_bytes_ += field.name.size();
    if (header_.fields.size() == kMaxTableColumns || name_bytes_ > kMaxNpyNameBytes)
      too_many_fields();
    header_.fields.push_back(std::move(field));
  }
  [[noreturn]] void too_many_fields() const {
    fail(fmt::format("an element has too many fields (at most {})", kMaxTableColumns));
  }
  [[noreturn]] void too_large() const {
    fail(fmt::format("an element is too large (at most {} bytes)", kMaxTableRowBytes));
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

  NpyHeader check() {
    header_.is_fortran_order = *fortran_order_;
    if (header_.is_structured && shape_->size() > 1)
      refuse_array(fmt::format("expected a structured array [n], got {}",
                               counted(shape_->size(), "dimension")));
    header_.dimensions = shape_->size();
    if (shape_->size() > 2)
      refuse_array(fmt::format("expected an array [n] or [n, k], got {}",
                               counted(shape_->size(), "dimension")));
    if (!shape_->empty()) header_.rows = shape_->front();
    if (shape_->size() == 2) header_.columns = shape_->back();
    if (header_.columns == 0 || header_.fields.empty())
      refuse_array("expected at least one column");
    if (header_.columns > kMaxTableColumns / header_.fields.size())
      refuse_array(fmt::format("rows of {} are too long (at most {})",
                               counted(header_.columns, "element"),
                               with_commas(kMaxTableColumns / header_.fields.size())));
    if (header_.columns > kMaxTableRowBytes / header_.element_bytes)
      refuse_array(fmt::format(
          "rows of {} with {} each are too long (at most {})", counted(header_.columns, "element"),
          counted(header_.element_bytes, "byte"), with_commas(kMaxTableRowBytes)));
    return header_;
  }

  std::string_view text_;
  bool is_utf8_;
  const std::string& path_;
  std::size_t position_ = 0;
  std::uint64_t types_ = 0, name_bytes_ = 0;
  NpyHeader header_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

void check_size(const NpyHeader& header, std::uint64_t file_size, const std::string& path) {
  const std::uint64_t available = file_size - header.data_offset;
  const std::string shape = fmt::format("({}, {})", header.rows, header.columns);
  std::uint64_t needed = 0;
  if (__builtin_mul_overflow(header.rows, header.columns * header.element_bytes, &needed))
    throw Error(ExitCode::kInvalidScene, fmt::format("{}: the shape {} is too large", path, shape));
  if (needed != available)
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: expected {} bytes of elements for the shape {}, got {}", path,
                            needed, shape, available));
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
  if (length > kMaxNpyTextBytes)
    fail(fmt::format("a header of {} bytes is too long (at most {})", length, kMaxNpyTextBytes));
  const std::size_t header_offset = length_offset + length_bytes;
  if (length > start.size() - header_offset) fail("the file ends within its header");
  NpyHeader header =
      NpyHeaderParser(bytes.substr(header_offset, length), version == 3, path).parse();
  header.data_offset = header_offset + length;
  check_size(header, file_size, path);
  return header;
}

}  // namespace roundel
