#include "renderer/compare/exr_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "renderer/base/memory.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

using Names = std::set<std::string>;

Names channel_names(const Picture& picture) {
  Names names;
  for (const ExrLevel& level : picture.levels)
    for (const ExrLevel::Channel& channel : level.channels)
      names.insert(channel_label(level.part, channel.name));
  if (!picture.levels.empty()) return names;
  for (const char c : plain_channels(picture.channels)) names.insert(picture.layer + c);
  return names;
}

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNames = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNames); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMaxNames) text += fmt::format(" and {} more", names.size() - kMaxNames);
  return text;
}

std::string different_channels(const Names& a, const Names& b) {
  std::vector<std::string> only_a, only_b;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b));
  std::string text;
  if (!only_a.empty()) text = names_text(only_a) + " only in the first";
  if (!only_b.empty())
    text += fmt::format("{}{} only in the second", text.empty() ? "" : "; ", names_text(only_b));
  return text;
}

/// "8x8 at (2, 0) with 4 levels"
std::string part_text(const Picture& picture, const std::string& part) {
  std::string text = fmt::format("{}x{}", picture.width, picture.height);
  std::size_t count = 0;
  for (const ExrLevel& level : picture.levels) {
    if (level.part != part || ++count > 1) continue;
    text = fmt::format("{}x{}", level.width, level.height);
    if (level.left != 0 || level.top != 0)
      text += fmt::format(" at ({}, {})", level.left, level.top);
  }
  return count > 1 ? text + fmt::format(" with {} levels", count) : text;
}

/// The names of channels are compared here, too: "a/b" is also channel b of part a.
bool same_pixels_of(const ExrLevel& a, const ExrLevel& b) {
  const auto same_name = [](const ExrLevel::Channel& one, const ExrLevel::Channel& other) {
    return one.name == other.name;
  };
  return std::equal(a.channels.begin(), a.channels.end(), b.channels.begin(), b.channels.end(),
                    same_name) &&
         std::tie(a.part, a.level_x, a.level_y, a.left, a.top, a.width, a.height) ==
             std::tie(b.part, b.level_x, b.level_y, b.left, b.top, b.width, b.height);
}

/// For the same channels.
std::string different_levels(const Picture& a, const Picture& b) {
  if (std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(), b.levels.end(),
                 same_pixels_of))
    return "";
  for (const ExrLevel& level : (a.levels.empty() ? b : a).levels) {
    const std::string of_a = part_text(a, level.part), of_b = part_text(b, level.part);
    if (of_a == of_b) continue;
    return fmt::format("{}{}{}; {}", level.part, level.part.empty() ? "" : ", ", of_a, of_b);
  }
  return "levels that are rounded, or channels in parts, in different ways";
}

struct Display {
  std::int64_t left, top, width, height;
  bool operator==(const Display&) const = default;
};

Display display_of(const Picture& picture) {
  const ExrDisplay& display = picture.display;
  if (display.width > 0) return {display.left, display.top, display.width, display.height};
  return {picture.left, picture.top, picture.width, picture.height};
}

std::string different_display(const Picture& a, const Picture& b) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& of_a, const std::string& of_b) {
    if (of_a == of_b) return;
    text += fmt::format("{}{} ({}; {})", text.empty() ? "pictures of different " : ", ", what, of_a,
                        of_b);
  };
  const auto chromaticities = [](const Picture& picture) {
    return picture.display.chromaticities.empty() ? "Rec. 709's" : picture.display.chromaticities;
  };
  const auto window = [](const Picture& picture) {
    const Display one = display_of(picture);
    return fmt::format("{}x{} at ({}, {})", one.width, one.height, one.left, one.top);
  };
  add("chromaticities", chromaticities(a), chromaticities(b));
  // Otherwise the sizes tell it.
  if (!a.display.is_data_window || !b.display.is_data_window)
    add("display windows", window(a), window(b));
  add("pixel aspect ratios", fmt::format("{}", a.display.pixel_aspect),
      fmt::format("{}", b.display.pixel_aspect));
  return text;
}

/// A layer's channels in a level, in the order of a plain picture.
using LayerChannels = std::vector<std::size_t>;

std::optional<std::size_t> find_channel(const ExrLevel& level, const std::string& name) {
  for (std::size_t c = 0; c < level.channels.size(); ++c)
    if (level.channels[c].name == name) return c;
  return std::nullopt;
}

std::optional<LayerChannels> find_layer(const ExrLevel& level, const std::string& prefix) {
  for (const std::string_view colors : {"RGB", "Y"}) {
    LayerChannels layer;
    for (const char c : colors)
      if (const auto channel = find_channel(level, prefix + c)) layer.push_back(*channel);
    if (layer.size() != colors.size()) continue;
    if (const auto alpha = find_channel(level, prefix + "A")) layer.push_back(*alpha);
    return layer;
  }
  return std::nullopt;
}

/// Colours without a layer's name come first.
std::optional<std::pair<std::size_t, LayerChannels>> shown_layer(
    const std::vector<ExrLevel>& levels) {
  for (const bool is_named : {false, true})
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i].level_x != 0 || levels[i].level_y != 0) continue;
      for (const ExrLevel::Channel& channel : levels[i].channels) {
        const std::size_t dot = channel.name.rfind('.');
        const std::string prefix =
            is_named && dot != std::string::npos ? channel.name.substr(0, dot + 1) : "";
        if (auto layer = find_layer(levels[i], prefix)) return std::pair(i, std::move(*layer));
      }
    }
  return std::nullopt;
}

struct Window {
  std::int64_t left, top, right, bottom;
  std::int64_t width() const { return right - left; }
  std::int64_t height() const { return bottom - top; }
};

/// `T` has left, top, width and height.
template <typename T>
Window union_of(const T& a, const T& b) {
  return {std::min<std::int64_t>(a.left, b.left), std::min<std::int64_t>(a.top, b.top),
          std::max(std::int64_t{a.left} + a.width, std::int64_t{b.left} + b.width),
          std::max(std::int64_t{a.top} + a.height, std::int64_t{b.top} + b.height)};
}

/// Adds pixels of 0 around the samples.
template <typename T>
void pad(T& picture, Buffer<float>& samples, std::size_t channels, const Window& window) {
  const auto width = static_cast<std::size_t>(window.width());
  if (picture.left == window.left && picture.top == window.top && picture.width == window.width() &&
      picture.height == window.height())
    return;
  if (!samples.empty()) {  // else only a header
    Buffer<float> padded(width * static_cast<std::size_t>(window.height()) * channels);
    std::fill(padded.begin(), padded.end(), 0.0f);
    const std::size_t row = static_cast<std::size_t>(picture.width) * channels;
    for (int y = 0; y < picture.height; ++y) {
      const auto to_row = static_cast<std::size_t>(picture.top - window.top + y);
      const auto to_column = static_cast<std::size_t>(picture.left - window.left);
      std::copy_n(&samples[static_cast<std::size_t>(y) * row], row,
                  &padded[(to_row * width + to_column) * channels]);
    }
    samples = std::move(padded);
  }
  picture.left = static_cast<int>(window.left), picture.top = static_cast<int>(window.top);
  picture.width = static_cast<int>(window.width());
  picture.height = static_cast<int>(window.height());
}

bool is_small(const Window& window, std::size_t channels) {
  if (window.width() > kMaxImageSide || window.height() > kMaxImageSide) return false;
  return static_cast<std::uint64_t>(window.width() * window.height()) * channels * sizeof(float) <=
         physical_memory() / 8;  // two pictures, before and after
}

void unify_levels(Picture& a, Picture& b) {
  std::vector<Window> windows;
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const ExrLevel &of_a = a.levels[i], &of_b = b.levels[i];
    if (of_a.part != of_b.part || of_a.channels.size() != of_b.channels.size() ||
        of_a.level_x + of_a.level_y + of_b.level_x + of_b.level_y > 0)
      return;
    windows.push_back(union_of(of_a, of_b));
    if (!is_small(windows.back(), of_a.channels.size())) return;
  }
  for (Picture* picture : {&a, &b}) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      ExrLevel& level = picture->levels[i];
      pad(level, level.samples, level.channels.size(), windows[i]);
    }
    show_a_layer(*picture);
  }
}

}  // namespace

std::string other_structure(const Picture& a, const Picture& b) {
  if (!a.is_linear() || !b.is_linear()) return "";
  if (!a.levels.empty() || !b.levels.empty() || a.layer != b.layer) {
    const std::string channels = different_channels(channel_names(a), channel_names(b));
    if (!channels.empty()) return "pictures of different channels: " + channels;
    const std::string levels = different_levels(a, b);
    if (!levels.empty()) return "pictures of different sizes or levels: " + levels;
  }
  return different_display(a, b);
}

std::string channels_text(const Picture& picture) {
  const Names names = channel_names(picture);
  return names_text({names.begin(), names.end()});
}

void show_a_layer(Picture& picture) {
  const auto& [index, layer] =
      shown_layer(picture.levels).value_or(std::pair<std::size_t, LayerChannels>(0, {0}));
  const ExrLevel& level = picture.levels[index];
  picture.left = level.left, picture.top = level.top;
  picture.width = level.width, picture.height = level.height;
  picture.channels = static_cast<int>(layer.size());
  if (level.samples.empty()) return;  // only a header
  picture.floats = Buffer<float>(level.pixels() * layer.size());
  for (std::size_t p = 0, at = 0; p < level.pixels(); ++p)
    for (const std::size_t channel : layer)
      picture.floats[at++] = static_cast<float>(level.value(p, channel));
}

bool shows_colors(const Picture& picture) {
  return picture.levels.empty() || shown_layer(picture.levels);
}

void give_levels(Picture& picture) {
  ExrLevel level;
  level.left = picture.left, level.top = picture.top;
  level.width = picture.width, level.height = picture.height;
  const std::string_view letters = plain_channels(picture.channels);
  std::string sorted(letters);
  std::sort(sorted.begin(), sorted.end());
  for (const char c : sorted) level.channels.push_back({picture.layer + c, false});
  if (!picture.floats.empty()) {  // else only a header
    level.samples = Buffer<float>(level.all_samples());
    for (std::size_t p = 0, at = 0; p < level.pixels(); ++p)
      for (const char c : sorted)
        level.samples[at++] = picture.floats[p * letters.size() + letters.find(c)];
  }
  picture.levels.push_back(std::move(level));
}

void unify_data_windows(Picture& a, Picture& b) {
  if (a.display.width == 0 || b.display.width == 0 || display_of(a) != display_of(b) ||
      a.levels.size() != b.levels.size())
    return;
  if (!a.levels.empty()) return unify_levels(a, b);
  const Window window = union_of(a, b);
  for (Picture* picture : {&a, &b})
    if (!is_small(window, static_cast<std::size_t>(picture->channels))) return;
  for (Picture* picture : {&a, &b})
    pad(*picture, picture->floats, static_cast<std::size_t>(picture->channels), window);
}

}  // namespace roundel
