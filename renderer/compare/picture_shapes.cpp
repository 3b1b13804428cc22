#include "renderer/compare/picture_shapes.h"

#include <algorithm>
#include <cstddef>

#include "renderer/image/color_space.h"

namespace roundel {
namespace {

bool is_srgb(const Picture& picture) {
  return picture.color_space.empty() || picture.color_space.starts_with(kSrgbProfile);
}

bool is_grey(const Picture& picture) {
  return picture.channels < 3;
}
bool has_alpha(const Picture& picture) {
  return picture.channels % 2 == 0;
}

/// `to` is at least `from`.
template <typename To, typename From>
Buffer<To> spread(const Buffer<From>& samples, std::size_t from, std::size_t to, To opaque) {
  const std::size_t pixels = samples.size() / from, colors = to < 3 ? 1 : 3;
  Buffer<To> out(pixels * to);
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < colors; ++c)
      out[p * to + c] = static_cast<To>(samples[p * from + (from < 3 ? 0 : c)]);
    if (to % 2 == 0)
      out[p * to + colors] = from % 2 == 0 ? static_cast<To>(samples[p * from + from - 1]) : opaque;
  }
  return out;
}

void convert(Picture& picture, int channels, Picture::Samples samples) {
  const auto from = static_cast<std::size_t>(picture.channels);
  const auto to = static_cast<std::size_t>(channels);
  picture.color_space.clear();
  if (from == to && picture.samples == samples) return;
  constexpr std::uint8_t kMaxLevel = 255;
  if (samples == Picture::Samples::kBytes) {
    picture.bytes = spread(picture.bytes, from, to, kMaxLevel);
  } else {
    const float opaque = picture.is_linear() ? 1 : kMaxLevel;
    picture.floats = picture.samples == Picture::Samples::kBytes
                         ? spread(picture.bytes, from, to, opaque)
                         : spread(picture.floats, from, to, opaque);
    picture.bytes = {};
  }
  picture.channels = channels;
  picture.samples = samples;
}

}  // namespace

bool same_shape(const Picture& a, const Picture& b) {
  return a.width == b.width && a.height == b.height && a.channels == b.channels &&
         a.samples == b.samples && a.left == b.left && a.top == b.top &&
         a.color_space == b.color_space && a.orientation == b.orientation;
}

bool can_unify_shapes(const Picture& a, const Picture& b) {
  return a.width == b.width && a.height == b.height && a.left == b.left && a.top == b.top &&
         a.orientation == b.orientation && a.is_linear() == b.is_linear() && is_srgb(a) &&
         is_srgb(b);
}

bool differ_in_size_only(const Picture& a, const Picture& b) {
  return (a.width != b.width || a.height != b.height) && a.channels == b.channels &&
         a.samples == b.samples && a.left == b.left && a.top == b.top &&
         a.color_space == b.color_space && a.orientation == b.orientation;
}

Picture placed_on(const Picture& a, const Picture& b) {
  Picture placed = copy_of(a);
  const std::size_t samples =
      static_cast<std::size_t>(std::min(a.width, b.width)) * static_cast<std::size_t>(a.channels);
  for (int y = 0; y < std::min(a.height, b.height); ++y) {
    if (a.samples == Picture::Samples::kBytes)
      std::copy_n(&b.bytes[b.sample_at(0, y)], samples, &placed.bytes[a.sample_at(0, y)]);
    else
      std::copy_n(&b.floats[b.sample_at(0, y)], samples, &placed.floats[a.sample_at(0, y)]);
  }
  return placed;
}

void unify_shapes(Picture& a, Picture& b) {
  if (same_shape(a, b) || !can_unify_shapes(a, b)) return;
  const int colors = is_grey(a) && is_grey(b) ? 1 : 3;
  const int channels = colors + (has_alpha(a) || has_alpha(b) ? 1 : 0);
  const Picture::Samples samples = std::max(a.samples, b.samples);
  convert(a, channels, samples);
  convert(b, channels, samples);
}

}  // namespace roundel
