#include "renderer/compare/report_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "renderer/image/pixel_to_bytes.h"

namespace roundel {
namespace {

constexpr int kMaxSide = 4096;   ///< of pictures shown as a whole
constexpr int kPartSide = 2048;  ///< of the part that stands for larger ones

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

/// One pixel as RGB or RGBA bytes; floats as the 8-bit picture of them.
void show_pixel(const Picture& picture, std::size_t pixel, std::uint8_t* out) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  const bool has_alpha = channels % 2 == 0, is_grey = channels < 3;
  const std::size_t at = pixel * channels;
  const std::size_t green = is_grey ? 0 : 1, blue = is_grey ? 0 : 2;
  if (picture.samples == Picture::Samples::kBytes) {
    const std::uint8_t* const bytes = picture.bytes.data() + at;
    out[0] = bytes[0];
    out[1] = bytes[green];
    out[2] = bytes[blue];
    if (has_alpha) out[3] = bytes[channels - 1];
    return;
  }
  const float* const floats = picture.floats.data() + at;
  const Pixel shown{floats[0], floats[green], floats[blue], has_alpha ? floats[channels - 1] : 1};
  if (has_alpha) {
    pixel_to_rgba(shown, BlendSpace::kLinear, out);
  } else {
    pixel_to_rgb(shown, BlendSpace::kLinear, out);
  }
}

Image show_part(const Picture& picture, const PixelBox& part) {
  Image image;
  const int width = std::min(part.width, picture.width - part.x);
  const int height = std::min(part.height, picture.height - part.y);
  image.resize(width, height, picture.channels % 2 == 0 ? 4 : 3);
  std::uint8_t* out = image.bytes.data();
  for (int y = part.y; y < part.y + height; ++y) {
    for (int x = part.x; x < part.x + width; ++x, out += image.channels) {
      const std::size_t row = static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width);
      show_pixel(picture, row + static_cast<std::size_t>(x), out);
    }
  }
  return image;
}

/// Around the densest difference, or at the top left where there is none.
PixelBox part_to_show(int width, int height, const PixelBox& densest) {
  if (width <= kMaxSide && height <= kMaxSide) return {0, 0, width, height};
  const auto begin = [](int from, int length, int side) {
    return std::clamp(from + length / 2 - kPartSide / 2, 0, std::max(0, side - kPartSide));
  };
  return {begin(densest.x, densest.width, width), begin(densest.y, densest.height, height),
          std::min(kPartSide, width), std::min(kPartSide, height)};
}

}  // namespace

ReportPictures report_pictures(std::size_t index, const PairResult& result) {
  ReportPictures report;
  report.script = fmt::format("roundelPictures({},{{", index);
  const char* separator = "";
  for (const auto& [key, path] :
       {std::pair{"golden", &result.golden_path}, std::pair{"actual", &result.actual_path}}) {
    if (path->empty()) continue;
    const Picture picture = read_picture(*path);
    const PixelBox part =
        part_to_show(picture.width, picture.height, result.difference.densest);
    report.is_part |= part.width < picture.width || part.height < picture.height;
    report.x = part.x;
    report.y = part.y;
    report.script += fmt::format("{}{}:\"{}\"", separator, key,
                                 base64(encode_png(show_part(picture, part), {})));
    separator = ",";
  }
  report.script += "});\n";
  return report;
}

}  // namespace roundel
