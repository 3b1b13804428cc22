// Keys and colours of other tools: Matplotlib, datashader, CSS, SVG, Vega and others.
#include "renderer/format/key_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/text.h"

namespace roundel {
namespace {

struct Meaning {
  std::string_view words;  ///< separated by blanks
  std::string_view key;    ///< the object must have this key
  std::string_view text;   ///< replacement to type
};

/// An object's own keys first, then where a key belongs.
constexpr Meaning kMeanings[] = {
    {"cmap colourmap color_map colorscale palette gradient", "colormap", "colormap"},
    {"cmap colormap colourmap color_map colorscale palette", "map",
     "map: {color: {column: NAME, colormap: viridis}}"},
    {"cmap colormap colourmap color_map colorscale palette", "color",
     "color: {column: NAME, colormap: viridis}"},
    {"norm normalize normalise transform log", "scale", "scale"},
    {"norm", "color", "color: {column: NAME, scale: log}"},
    {"vmin vmax clim limits lim range min max", "domain", "domain"},
    {"vmin vmax clim domain", "map", "map: {color: {column: NAME, domain: [LOW, HIGH]}}"},
    {"vmin vmax clim domain", "color", "color: {column: NAME, domain: [LOW, HIGH]}"},
    {"bg background_color background_colour backgroundcolor bgcolor facecolor canvas", "background",
     "background"},
    {"bg background background_color background_colour backgroundcolor bgcolor facecolor", "image",
     "image: {background: COLOUR}"},
    {"w", "width", "width"},
    {"h", "height", "height"},
    {"width height w h figsize resolution shape dimensions", "size", "size"},
    {"size figsize resolution shape dimensions", "height", "width: 1024, height: 1024"},
    {"width height w h size figsize resolution shape dimensions", "image",
     "image: {width: 1024, height: 1024}"},
    {"r rad s size sizes ms markersize point_size pointsize diameter d", "radius", "radius"},
    {"r rad radius s size sizes ms markersize point_size pointsize", "map", "map: {radius: 2px}"},
    {"c colour colours colors col rgb rgba hex tint facecolor facecolors", "color", "color"},
    {"opacity transparency a transparent", "alpha", "alpha"},
    {"transparency", "opacity", "opacity"},
    {"antialiasing anti_alias aa smooth msaa", "antialias", "antialias"},
    {"antialias antialiasing anti_alias aa smooth msaa", "image", "image: {antialias: true}"},
    {"bit_depth depth", "bits", "bits"},
    {"bits bit_depth depth", "image", "image: {bits: 16}"},
    {"x y", "map", "map: {x: NAME, y: NAME, radius: 2px}"},
    {"xlim ylim xrange yrange extent extents bounds bbox window viewport", "view",
     "view: {x: [LOW, HIGH], y: [LOW, HIGH]}"},
    {"xlim xrange", "fit", "x: [LOW, HIGH]"},
    {"ylim yrange", "fit", "y: [LOW, HIGH]"},
    {"extent extents bounds bbox window viewport", "fit", "x: [LOW, HIGH], y: [LOW, HIGH]"},
    {"flip_y flipy yflip invert_y inverty invert", "flip", "flip: y"},
    {"flip flip_y flipy yflip invert_y inverty", "view", "view: {flip: y}"},
    {"fit autoscale", "view", "view: {fit: data}"},
    {"zoom", "view", "view: {zoom: 1}"},
    {"center centre", "view", "view: {center: [0.5, 0.5]}"},
    {"centre", "center", "center"},
    {"padding pad border", "margin", "margin"},
    {"fps frames duration framerate frame_rate rate", "animation",
     "animation: {fps: 30, frames: 60}"},
    {"rate framerate frame_rate", "fps", "fps"},
    {"duration length count", "frames", "frames"},
    {"objects shapes items scene", "layers", "layers"},
    {"circles generator random data", "layers", "layers: [{circles: [...]}]"},
    {"params parameters variables", "vars", "vars"},
    {"random_seed rng", "seed", "seed"},
    {"file path source src csv table filename url", "data", "data"},
    {"filename file out path", "output", "output"},
    {"points marks discs dots", "circles", "circles"},
    {"group key sheet", "dataset", "dataset"},
    {"zorder z_order sort sort_by order_by", "order", "order"},
    {"filter query select", "where", "where"},
    {"hue by field value values", "column", "column"},
    {"edgecolor edgecolors edge border outline linewidth linewidths lw strokewidth", "stroke",
     "stroke: {width: 1px}"},
    {"blend_mode blendmode mode compositing", "blend", "blend"},
    {"translate shift move", "offset", "offset"},
    {"angle rotation", "rotate", "rotate"},
    {"origin anchor", "pivot", "pivot"},
    {"label title id", "name", "name"},
    {"cx lon longitude", "x", "x"},
    {"cy lat latitude", "y", "y"},
    {"n num number amount", "count", "count"},
};

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    if (words.substr(0, blank) == word) return true;
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
  return false;
}

struct NamedColor {
  std::string_view name, hex;
};
constexpr NamedColor kColors[] = {
    {"black", "#000000"},      {"white", "#ffffff"},     {"red", "#ff0000"},
    {"green", "#008000"},      {"lime", "#00ff00"},      {"blue", "#0000ff"},
    {"yellow", "#ffff00"},     {"cyan", "#00ffff"},      {"aqua", "#00ffff"},
    {"magenta", "#ff00ff"},    {"fuchsia", "#ff00ff"},   {"gray", "#808080"},
    {"grey", "#808080"},       {"silver", "#c0c0c0"},    {"lightgray", "#d3d3d3"},
    {"lightgrey", "#d3d3d3"},  {"darkgray", "#a9a9a9"},  {"darkgrey", "#a9a9a9"},
    {"maroon", "#800000"},     {"olive", "#808000"},     {"purple", "#800080"},
    {"teal", "#008080"},       {"navy", "#000080"},      {"orange", "#ffa500"},
    {"darkorange", "#ff8c00"}, {"pink", "#ffc0cb"},      {"brown", "#a52a2a"},
    {"gold", "#ffd700"},       {"coral", "#ff7f50"},     {"salmon", "#fa8072"},
    {"tomato", "#ff6347"},     {"crimson", "#dc143c"},   {"darkred", "#8b0000"},
    {"indigo", "#4b0082"},     {"violet", "#ee82ee"},    {"orchid", "#da70d6"},
    {"turquoise", "#40e0d0"},  {"skyblue", "#87ceeb"},   {"steelblue", "#4682b4"},
    {"royalblue", "#4169e1"},  {"lightblue", "#add8e6"}, {"darkblue", "#00008b"},
    {"lightgreen", "#90ee90"}, {"darkgreen", "#006400"}, {"khaki", "#f0e68c"},
    {"beige", "#f5f5dc"},      {"ivory", "#fffff0"},     {"tan", "#d2b48c"},
};

bool is_hex(std::string_view digits) {
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

std::string suggested_key(std::string_view word, const std::vector<std::string>& keys) {
  const std::string lower = lower_case(std::string(word));
  for (const Meaning& meaning : kMeanings)
    if (has_word(meaning.words, lower) &&
        std::find(keys.begin(), keys.end(), meaning.key) != keys.end())
      return std::string(meaning.text);
  constexpr std::size_t kMaxHintBytes = 40;
  const std::size_t colon = word.find(':');
  const bool has_key = colon != std::string_view::npos && word.size() <= kMaxHintBytes &&
                       std::find(keys.begin(), keys.end(), word.substr(0, colon)) != keys.end();
  if (has_key)  // "x:0.5"
    return printable(fmt::format("{}: {}", word.substr(0, colon), word.substr(colon + 1)));
  const bool is_time = !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
  if (is_time && !keys.empty() && keys.front() == "keys") return "keys: {FRAME: VALUE, ...}";
  return nearest_name(word, keys).value_or("");
}

std::string color_hint(std::string_view text) {
  const std::string name = lower_case(std::string(text));
  for (const NamedColor& color : kColors)
    if (color.name == name) return fmt::format("write \"{}\"", color.hex);
  const bool has_mark = name.starts_with('#');
  const std::string digits = name.substr(has_mark ? 1 : 0);
  constexpr std::size_t kShort = 3, kShortWithAlpha = 4, kLong = 6, kLongWithAlpha = 8;
  const std::size_t size = digits.size();
  if (!is_hex(digits)) return "";
  if (size == kLong && !has_mark) return fmt::format("write \"#{}\"", digits);
  if (!has_mark || (size != kShort && size != kShortWithAlpha && size != kLongWithAlpha)) return "";
  std::string hex = "#";
  for (std::size_t i = 0; hex.size() <= kLong; ++i)
    hex.append(size == kLongWithAlpha ? 1 : 2, digits[i]);
  const bool has_alpha = size != kShort;
  return fmt::format("write \"{}\"{}", hex, has_alpha ? "; alpha has its own key" : "");
}

}  // namespace roundel
