#include "renderer/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>
#include <sstream>

namespace roundel {
namespace {

constexpr std::size_t kMaxNameBytes = 40;

// Length of the first character, 0 for invalid UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0U) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

// utf8_length() of a character that YAML and XML accept unescaped, else 0: no control character,
// byte order mark, U+FFFE or U+FFFF.
std::size_t plain_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto first = static_cast<unsigned char>(text[0]);
  const std::string_view character = text.substr(0, length);
  const bool is_control = first < 0x20 || first == 0x7F ||
                          (first == 0xC2 && character < "\xC2\xA0" && character != "\xC2\x85");
  const bool is_none =
      character == "\xEF\xBB\xBF" || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
  return is_control || is_none ? 0 : length;
}

// plain_length() of a character that does not end a line or change text direction, else 0.
std::size_t shown_length(std::string_view text) {
  const std::size_t length = plain_length(text);
  if (length < 2) return length;
  const std::string_view character = text.substr(0, length);
  const bool ends_line = character == "\u0085" || character == "\u2028" || character == "\u2029";
  const bool is_direction = character == "\u061C" || character == "\u200E" ||
                            character == "\u200F" ||
                            (character >= "\u202A" && character <= "\u202E") ||
                            (character >= "\u2066" && character <= "\u2069");
  return ends_line || is_direction ? 0 : length;
}

// Appends the first character of `text`, escaped if needed; returns its length.
std::size_t append_printable(std::string_view text, std::string& out) {
  const std::size_t length = shown_length(text);
  if (length == 0) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    return 1;
  }
  out += text.substr(0, length);
  return length;
}

// Number of edits (insert, delete, replace, swap of neighbours) from a to b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string Quote::operator()(std::string_view text) const {
  constexpr std::size_t kShown = 60;
  std::string out = "\"";
  std::size_t i = 0;
  while (i < text.size() && i < kShown) {
    if (text[i] == '"' || text[i] == '\\') out += '\\';
    i += append_printable(text.substr(i), out);
  }
  return out + (i < text.size() ? "…\"" : "\"");
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) i += append_printable(text.substr(i), out);
  return out;
}

std::string shell_word(const std::string& name) {
  const bool is_plain = !name.empty() && name.find_first_not_of(
                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                             "0123456789_./:=@%+,-") == std::string::npos;
  if (is_plain) return name;
  if (printable(name) != name)
    return "$'" + printable(escaped(name, {{'\'', "\\'"}, {'\\', "\\\\"}})) + "'";
  return "'" + escaped(name, {{'\'', "'\\''"}}) + "'";
}

std::string escaped(std::string_view text,
                    std::initializer_list<std::pair<char, std::string_view>> escapes) {
  std::string out;
  for (const char c : text) {
    const auto* const found = std::find_if(escapes.begin(), escapes.end(),
                                           [c](const auto& escape) { return escape.first == c; });
    if (found == escapes.end()) {
      out += c;
    } else {
      out += found->second;
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return with_commas(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

std::optional<std::size_t> find_non_text(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const bool is_one = (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
    const std::size_t length = is_one ? 1 : plain_length(text.substr(i, 4));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0, length = 0; i < text.size(); i += length)
    if (length = utf8_length(text.substr(i)); length == 0) return false;
  return true;
}

std::string json_for_yaml(std::string_view json) {
  std::string out;
  for (std::size_t i = 0, length = 0; i < json.size(); i += length) {
    const std::string_view rest = json.substr(i);
    const auto lead = static_cast<unsigned char>(rest[0]);
    length = std::max<std::size_t>(1, utf8_length(rest));
    const std::string_view character = rest.substr(0, length);
    const bool is_start_mark = i == 0 && character == "\xEF\xBB\xBF";
    const bool is_plain = lead < 0x80 ? lead != 0x7F : is_start_mark || shown_length(rest) > 0;
    if (is_plain || !is_utf8(character)) {
      out += character;
      continue;
    }
    unsigned point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      point = point << 6 | (static_cast<unsigned char>(rest[k]) & 0x3FU);
    out += fmt::format("\\u{:04x}", point);
  }
  return out;
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kMaxNameBytes) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t best = name.size() <= 3 ? 2 : name.size() / 3 + 2;  // exclusive limit
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::optional<std::string> nearest = nearest_name(name, candidates);
  return nearest ? fmt::format(" (did you mean \"{}\"?)", *nearest) : "";
}

std::string join_names(const std::vector<std::string>& names, std::string_view last_separator,
                       bool in_quotes) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? fmt::format(" {} ", last_separator) : ", ";
    out += in_quotes ? fmt::format("\"{}\"", names[i]) : names[i];
  }
  return out;
}

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  const bool are_all = names.size() <= kShown;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < (are_all ? names.size() : kShown - 1); ++i)
    shown.push_back(printable(names[i]));
  if (!are_all) shown.push_back(fmt::format("{} more", names.size() - shown.size()));
  if (shown.empty()) return "there are none";
  return (shown.size() == 1 ? "there is " : "there are ") + join_names(shown, "and", false);
}

bool is_rounded(std::string_view digits, double number) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return false;
  std::uint64_t size = 0;
  constexpr int kBits = 53;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec == std::errc())
    return size != 0 && static_cast<int>(std::bit_width(size >> std::countr_zero(size))) > kBits;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return digits != fmt::format("{:.0f}", is_negative ? -number : number);
}

std::string rounding_text(std::string_view digits, double number) {
  return fmt::format(
      "{} is rounded to {:.0f}, as whole numbers beyond 2^53 are compared in binary64", digits,
      number);
}

std::string memory_text(double bytes) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  if (bytes < kGiB) return fmt::format("{:.1f} MiB", bytes / kGiB * 1024.0);
  if (bytes < 1024 * kGiB) return fmt::format("{:.1f} GiB", bytes / kGiB);
  if (bytes > 1e6 * 1024 * kGiB) return "more than a million TiB";
  return fmt::format("{:.1f} TiB", bytes / kGiB / 1024.0);
}

}  // namespace roundel
