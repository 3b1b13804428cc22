#include "renderer/format/format_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

#include "renderer/base/text.h"

namespace roundel {

/// ` ("stars")` for "layers[2].data" if that layer has this name.
std::string FormatErrors::name_of_layer(const std::string& key_path) const {
  constexpr std::string_view kStart = "layers[";
  if (!key_path.starts_with(kStart)) return "";
  std::size_t layer = layer_names_.size();
  std::from_chars(key_path.data() + kStart.size(), key_path.data() + key_path.size(), layer);
  if (layer >= layer_names_.size() || layer_names_[layer].empty()) return "";
  return " (" + roundel::quoted(layer_names_[layer]) + ")";
}

void FormatErrors::add(Place place, const std::string& key_path, const std::string& problem) {
  if (full()) {
    ++left_out_;
    return;
  }
  entries_.push_back({place, key_path, problem});
}

Place FormatErrors::add_source(std::function<std::string()> text) {
  sources_.push_back(std::move(text));
  return {kNoLine, static_cast<std::uint32_t>(sources_.size() - 1)};
}

std::string FormatErrors::line_text(Place place) const {
  return place.line == kNoLine ? sources_[place.column]() : fmt::format("line {}", place.line);
}

/// "scene.yaml:2:10", followed by ": --set NAME" if an option set the node.
std::string FormatErrors::place_text(Place place) const {
  if (place.line == kNoLine) return sources_[place.column]();
  const auto option = std::find_if(options_.begin(), options_.end(),
                                   [&](const auto& entry) { return entry.first == place; });
  return fmt::format("{}:{}:{}{}", file_, place.line, place.column,
                     option == options_.end() ? "" : ": " + option->second);
}

void FormatErrors::throw_if_any() {
  if (entries_.empty()) return;
  std::stable_sort(
      entries_.begin(), entries_.end(), [](const FormatProblem& a, const FormatProblem& b) {
        return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
      });
  Lines message;
  for (const FormatProblem& entry : entries_) {
    message += fmt::format("{}: {}{}{}{}", place_text(entry.place), entry.key_path,
                           name_of_layer(entry.key_path), entry.key_path.empty() ? "" : ": ",
                           entry.message);
  }
  if (left_out_ > 0) message += fmt::format("{}: {} more errors", file_, left_out_);
  throw InvalidScene(file_, std::move(entries_), message);
}

}  // namespace roundel
