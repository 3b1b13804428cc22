#include "renderer/compare/opaque_pixel.h"

#include <algorithm>
#include <cstring>

namespace roundel {
namespace {

const std::byte* picture_row(const Picture& picture, int y, std::size_t row_bytes) {
  const void* const first = picture.samples == Picture::Samples::kBytes
                                ? static_cast<const void*>(picture.bytes.data())
                                : picture.floats.data();
  return static_cast<const std::byte*>(first) + static_cast<std::size_t>(y) * row_bytes;
}

}  // namespace

PixelBox differing_box(const Picture& a, const Picture& b) {
  const bool is_bytes = a.samples == Picture::Samples::kBytes;
  const std::size_t pixel_bytes =
      static_cast<std::size_t>(a.channels) * (is_bytes ? 1 : sizeof(float));
  const std::size_t row_bytes = static_cast<std::size_t>(a.width) * pixel_bytes;
  std::size_t first = row_bytes, last = 0;  // byte of a row
  int y0 = 0, y1 = -1;
  for (int y = 0; y < a.height; ++y) {
    const std::byte* const row_a = picture_row(a, y, row_bytes);
    const std::byte* const row_b = picture_row(b, y, row_bytes);
    if (std::memcmp(row_a, row_b, row_bytes) == 0) continue;
    if (y1 < 0) y0 = y;
    y1 = y;
    const auto from_left = std::mismatch(row_a, row_a + row_bytes, row_b).first - row_a;
    first = std::min(first, static_cast<std::size_t>(from_left));
    std::size_t end = row_bytes;
    while (end > last + 1 && row_a[end - 1] == row_b[end - 1]) --end;
    last = std::max(last, end - 1);
  }
  if (y1 < 0) return {};
  const int x0 = static_cast<int>(first / pixel_bytes), x1 = static_cast<int>(last / pixel_bytes);
  return {x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

PixelBox grown(const PixelBox& box, int margin, const Picture& picture) {
  const int x0 = std::max(box.x - margin, 0), y0 = std::max(box.y - margin, 0);
  const int x1 = std::min(box.x + box.width + margin, picture.width);
  const int y1 = std::min(box.y + box.height + margin, picture.height);
  return {x0, y0, x1 - x0, y1 - y0};
}

bool is_translucent(const Picture& picture) {
  if (picture.channels == 1 || picture.channels == 3) return false;
  const auto channels = static_cast<std::size_t>(picture.channels);
  const auto any_below = [channels](const auto& samples, auto opaque) {
    for (std::size_t i = channels - 1; i < samples.size(); i += channels) {
      if (samples[i] != opaque) return true;
    }
    return false;
  };
  if (picture.samples == Picture::Samples::kBytes)
    return any_below(picture.bytes, std::uint8_t{255});
  return any_below(picture.floats, picture.is_linear() ? 1.0f : 255.0f);
}

}  // namespace roundel
