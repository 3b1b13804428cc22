#include "renderer/compare/report_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "renderer/compare/alike_pictures.h"
#include "renderer/compare/difference_image.h"

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

Image part_of(const Image& image, const PixelBox& part) {
  Image out;
  out.resize(std::min(part.width, image.width - part.x),
             std::min(part.height, image.height - part.y), image.channels);
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t row_bytes = static_cast<std::size_t>(out.width) * channels;
  for (int y = 0; y < out.height; ++y) {
    const std::size_t pixel =
        pixel_count(image.width, part.y + y) + static_cast<std::size_t>(part.x);
    std::memcpy(out.bytes.data() + static_cast<std::size_t>(y) * row_bytes,
                image.bytes.data() + pixel * channels, row_bytes);
  }
  return out;
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

/// The script of one result, growing.
class Script {
 public:
  Script(std::size_t index, const PixelBox& densest) : densest_(densest) {
    pictures_.script = fmt::format("roundelPictures({},{{", index);
  }

  void add(const char* key, const Image& image) {
    const PixelBox part = part_to_show(image.width, image.height, densest_);
    pictures_.is_part |= part.width < image.width || part.height < image.height;
    pictures_.x = part.x;
    pictures_.y = part.y;
    pictures_.script +=
        fmt::format("{}{}:\"{}\"", separator_, key, base64(encode_png(part_of(image, part), {})));
    separator_ = ",";
  }

  ReportPictures finish() {
    pictures_.script += "});\n";
    return std::move(pictures_);
  }

 private:
  PixelBox densest_;
  ReportPictures pictures_;
  const char* separator_ = "";
};

std::optional<Picture> read_if_there(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional<Picture>(read_picture(path));
}

}  // namespace

ReportPictures report_pictures(std::size_t index, const PairResult& result) {
  std::optional<Picture> golden = read_if_there(result.golden_path);
  std::optional<Picture> actual = read_if_there(result.actual_path);
  if (golden && actual && result.tolerance.is_shape_tolerant) make_alike(*golden, *actual);
  Script script(index, result.difference.densest);
  if (golden) script.add("golden", display_image(*golden));
  if (actual) script.add("actual", display_image(*actual));
  if (golden && actual && result.difference.kind == PictureDifference::Kind::kDifferent) {
    script.add("difference", difference_image(*golden, *actual, result.tolerance));
    if (result.difference.flip) {
      script.add("flip", flip_of(*golden, *actual, result.tolerance, result.pixels_per_degree));
    }
  }
  ReportPictures pictures = script.finish();
  for (const std::optional<Picture>* picture : {&golden, &actual}) {
    pictures.is_rounded |= *picture && (*picture)->samples != Picture::Samples::kBytes;
  }
  return pictures;
}

}  // namespace roundel
