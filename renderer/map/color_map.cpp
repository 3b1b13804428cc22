#include "renderer/map/color_map.h"

#include <algorithm>

#include "renderer/map/color_map_tables.h"

namespace roundel {
namespace {

struct NamedTable {
  const char* name;
  const ColorMapTable* table;
};
const std::array<NamedTable, 6> kTables = {{{"viridis", &kViridisTable},
                                            {"magma", &kMagmaTable},
                                            {"inferno", &kInfernoTable},
                                            {"plasma", &kPlasmaTable},
                                            {"cividis", &kCividisTable},
                                            {"turbo", &kTurboTable}}};

/// tab10 is Tableau's (2016); set2 is Cynthia Brewer's Set2 (ColorBrewer 2.0, Apache 2.0).
constexpr std::array kTab10 = {0x1f77b4, 0xff7f0e, 0x2ca02c, 0xd62728, 0x9467bd,
                               0x8c564b, 0xe377c2, 0x7f7f7f, 0xbcbd22, 0x17becf};
constexpr std::array kSet2 = {0x66c2a5, 0xfc8d62, 0x8da0cb, 0xe78ac3,
                              0xa6d854, 0xffd92f, 0xe5c494, 0xb3b3b3};

DisplayColor color_of(int rgb) {
  return {static_cast<float>(rgb >> 16) / 255.0f, static_cast<float>(rgb >> 8 & 255) / 255.0f,
          static_cast<float>(rgb & 255) / 255.0f};
}

}  // namespace

const std::vector<std::string>& gradient_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    names.reserve(kTables.size() + 1);
    for (const NamedTable& table : kTables) names.emplace_back(table.name);
    names.emplace_back("gray");
    return names;
  }();
  return kNames;
}

Gradient named_gradient(std::string_view name) {
  Gradient gradient;
  const auto* const named = std::find_if(
      kTables.begin(), kTables.end(), [&](const NamedTable& table) { return table.name == name; });
  for (std::size_t i = 0; i < kViridisTable.size(); ++i) {
    const double gray = static_cast<double>(i) / 255;
    std::array<double, 3> color{gray, gray, gray};
    for (std::size_t c = 0; named != kTables.end() && c < 3; ++c)
      color[c] = (*named->table)[i][c] / 1e6;
    gradient.colors.push_back(color);
  }
  return gradient;
}

const std::vector<std::string>& palette_names() {
  static const std::vector<std::string> kNames = {"tab10", "set2"};
  return kNames;
}

std::vector<DisplayColor> named_palette(std::string_view name) {
  std::vector<DisplayColor> colors;
  if (name == "tab10")
    std::transform(kTab10.begin(), kTab10.end(), std::back_inserter(colors), color_of);
  else
    std::transform(kSet2.begin(), kSet2.end(), std::back_inserter(colors), color_of);
  return colors;
}

std::optional<DisplayColor> parse_hex_color(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  int rgb = 0;
  for (const char c : text.substr(1)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    rgb = rgb * 16 + digit;
  }
  return color_of(rgb);
}

}  // namespace roundel
