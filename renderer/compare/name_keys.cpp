#include "renderer/compare/name_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/module.h"
#include "renderer/base/text.h"
#include "renderer/compare/name_forms.h"

namespace roundel {
namespace {

bool is_ascii(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x80; });
}

std::string form_of(const std::string& name, bool folds_case) {
  static const auto form = module_function<NameForm>("libroundel_names.so", "roundel_name_form");
  std::string text = name;
  form(text, folds_case);
  return text;
}

}  // namespace

std::string file_key(const std::string& name) {
  if (!is_ascii(name)) return form_of(name, true);
  std::string key = name;
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return key;
}

std::string composed(const std::string& name) {
  return is_ascii(name) ? name : form_of(name, false);
}

std::string spelled_out(const std::string& name) {
  if (find_non_text(name)) return printable(name);
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    const auto lead = static_cast<unsigned char>(name[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      point = point << 6 | (static_cast<unsigned char>(name[i + k]) & 0x3FU);
    text += length == 1 ? std::string(1, name[i]) : fmt::format("\\u{{{:x}}}", point);
    i += length;
  }
  return text;
}

}  // namespace roundel
