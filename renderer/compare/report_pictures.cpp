#include "renderer/compare/report_pictures.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "renderer/base/error.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/difference_regions.h"
#include "renderer/compare/picture_shapes.h"

namespace roundel {
namespace {

constexpr std::size_t kWholeBytes = std::size_t{32} << 20;  ///< limit of pictures shown unreduced
constexpr int kWholeSide = 8192;       ///< another limit, which all browsers' canvases have
constexpr int kReducedSide = 2048;     ///< longer side of reduced pictures
constexpr std::size_t kPlaces = 1000;  ///< limit of listed places

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  for (std::size_t i = 0; i < bytes.size(); i += 3, out += 4) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k <= count; ++k) out[k] = kDigits[group >> (18 - 6 * k) & 63U];
  }
  return text;
}

/// Grey fills three.
int shown_channels(const Picture& picture) {
  return picture.channels % 2 == 0 ? 4 : 3;
}

std::size_t sample_bytes(const Picture& picture) {
  constexpr std::array<std::size_t, 3> kBytes = {1, 2, 4};
  return kBytes[static_cast<std::size_t>(picture.samples)];
}

std::uint8_t* put_sample(const Picture& picture, std::size_t at, std::uint8_t* out) {
  switch (picture.samples) {
    case Picture::Samples::kBytes:
      *out++ = picture.bytes[at];
      break;
    case Picture::Samples::kWords: {
      const auto word = static_cast<unsigned>(picture.floats[at] * 257.0f + 0.5f);
      *out++ = static_cast<std::uint8_t>(word >> 8);
      *out++ = static_cast<std::uint8_t>(word);
      break;
    }
    case Picture::Samples::kFloats:
      std::memcpy(out, &picture.floats[at], 4);
      out += 4;
  }
  return out;
}

/// The file's values. The four bytes of a float are the four channels of a pixel, so that the page
/// needs no other format.
Image own_values(const Picture& picture) {
  const int channels = shown_channels(picture);
  Image image;
  if (picture.is_linear()) {
    image.resize(picture.width * channels, picture.height, 4);
  } else {
    image.resize(picture.width, picture.height, channels,
                 static_cast<int>(8 * sample_bytes(picture)));
  }
  const bool is_grey = picture.channels < 3;
  const std::array<std::size_t, 4> from =
      is_grey ? std::array<std::size_t, 4>{0, 0, 0, 1} : std::array<std::size_t, 4>{0, 1, 2, 3};
  std::uint8_t* out = image.bytes.data();
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const std::size_t at = picture.sample_at(x, y);
      for (int c = 0; c < channels; ++c)
        out = put_sample(picture, at + from[static_cast<std::size_t>(c)], out);
    }
  }
  return image;
}

/// Reduces by a whole factor: merge(block, out) gives a block's pixel.
template <typename Merge>
Image reduced(const Image& image, int factor, const Merge& merge) {
  Image out;
  out.resize((image.width + factor - 1) / factor, (image.height + factor - 1) / factor,
             image.channels);
  tbb::parallel_for(0, out.height, [&](int y) {
    std::uint8_t* pixel = out.bytes.data() + static_cast<std::size_t>(y) * out.row_bytes();
    for (int x = 0; x < out.width; ++x, pixel += out.channels) {
      merge(PixelBox{x * factor, y * factor, std::min(factor, image.width - x * factor),
                     std::min(factor, image.height - y * factor)},
            pixel);
    }
  });
  return out;
}

template <typename Use>
void for_each_pixel(const Image& image, const PixelBox& box, const Use& use) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    const std::uint8_t* pixel =
        image.bytes.data() +
        (pixel_count(image.width, y) + static_cast<std::size_t>(box.x)) * image.pixel_bytes();
    for (int x = 0; x < box.width; ++x, pixel += image.channels) use(pixel);
  }
}

/// Averages colours, weighted by alpha.
Image reduced_to_means(const Image& image, int factor) {
  const bool has_alpha = image.channels == 4;
  return reduced(image, factor, [&](const PixelBox& block, std::uint8_t* out) {
    std::array<std::uint64_t, 3> sums{};
    std::uint64_t weights = 0;
    for_each_pixel(image, block, [&](const std::uint8_t* pixel) {
      const std::uint64_t weight = has_alpha ? pixel[3] : 255;
      for (std::size_t c = 0; c < 3; ++c) sums[c] += weight * pixel[c];
      weights += weight;
    });
    for (std::size_t c = 0; c < 3; ++c)
      out[c] =
          static_cast<std::uint8_t>((sums[c] + weights / 2) / std::max<std::uint64_t>(1, weights));
    const auto pixels = pixel_count(block.width, block.height);
    if (has_alpha) out[3] = static_cast<std::uint8_t>((weights + pixels / 2) / pixels);
  });
}

/// Picks each block's pixel with the largest key(rgb): a single differing pixel stays visible.
template <typename Key>
Image reduced_to_largest(const Image& image, int factor, const Key& key) {
  return reduced(image, factor, [&](const PixelBox& block, std::uint8_t* out) {
    int largest = -1;
    for_each_pixel(image, block, [&](const std::uint8_t* pixel) {
      if (key(pixel) <= largest) return;
      largest = key(pixel);
      std::copy(pixel, pixel + 3, out);
    });
  });
}

/// Red, then yellow, the hatching of ignored pixels, grey.
int difference_key(const std::uint8_t* rgb) {
  return std::abs(2 * rgb[0] - rgb[1] - rgb[2]);
}

int brightness(const std::uint8_t* rgb) {
  return rgb[0] + rgb[1] + rgb[2];
}

/// A picture of the pair, and its file if the page shows that as it is.
struct Side {
  Picture picture;
  Buffer<std::byte> plain_png;  ///< empty for other files
};

struct Layers {
  std::optional<Side> golden, actual;
  std::optional<Image> difference, flip;
  /// For the page to mark the pixels itself, which takes neither space nor time here: the limit of
  /// equal bytes.
  std::optional<double> max_delta;
};

/// True for a PNG whose rows hold the bytes of a picture of this size: without palette, tRNS and
/// interlacing.
bool is_plain_png(std::span<const std::byte> file, int width, int height, int channels) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  constexpr std::array<int, 7> kChannels = {1, 0, 3, 0, 2, 0, 4};  // by colour type
  if (file.size() < 33 || std::memcmp(file.data(), kSignature.data(), kSignature.size()) != 0)
    return false;
  const auto number_at = [&](std::size_t at) {
    int number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | std::to_integer<int>(file[i]);
    return number;
  };
  const auto bits = std::to_integer<int>(file[24]);
  const auto color_type = std::to_integer<std::size_t>(file[25]);
  const auto interlacing = std::to_integer<int>(file[28]);
  return number_at(16) == width && number_at(20) == height && bits == 8 && interlacing == 0 &&
         color_type < kChannels.size() && kChannels[color_type] == channels;
}

std::string picture_text(int width, int height, int channels, Picture::Samples samples,
                         std::span<const std::uint8_t> png) {
  constexpr const char* kSamples[] = {"bytes", "words", "floats"};
  return fmt::format(R"({{width:{},height:{},channels:{},samples:"{}",png:"{}"}})", width, height,
                     channels, kSamples[static_cast<int>(samples)], base64(png));
}

std::string own_text(const Side& side) {
  const Picture& picture = side.picture;
  const auto text_of = [&](std::span<const std::uint8_t> png) {
    return picture_text(picture.width, picture.height, picture.channels, picture.samples, png);
  };
  const Buffer<std::byte>& file = side.plain_png;
  if (file.size() > 0)
    return text_of({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  return text_of(encode_png(own_values(picture), {}));
}

std::string reduced_text(const Picture& picture, int factor) {
  return picture_text(picture.width, picture.height, picture.channels, Picture::Samples::kBytes,
                      encode_png(reduced_to_means(display_image(picture), factor), {}));
}

std::string image_text(int width, int height, const Image& image) {
  return picture_text(width, height, image.channels, Picture::Samples::kBytes,
                      encode_png(image, {}));
}

std::string full_texts(const Layers& layers) {
  std::string text;
  if (layers.golden) text += ",golden:" + own_text(*layers.golden);
  if (layers.actual) text += ",actual:" + own_text(*layers.actual);
  const auto add = [&](const char* name, const std::optional<Image>& image) {
    if (image) text += fmt::format(",{}:{}", name, image_text(image->width, image->height, *image));
  };
  if (layers.max_delta)
    text += fmt::format(",max_delta:{}", *layers.max_delta);
  else
    add("difference", layers.difference);
  add("flip", layers.flip);
  return text;
}

std::string reduced_texts(const Layers& layers, int factor) {
  std::string text;
  if (layers.golden) text += ",golden:" + reduced_text(layers.golden->picture, factor);
  if (layers.actual) text += ",actual:" + reduced_text(layers.actual->picture, factor);
  const auto add = [&](const char* name, const std::optional<Image>& image, const auto& key) {
    if (!image) return;
    text += fmt::format(
        ",{}:{}", name,
        image_text(image->width, image->height, reduced_to_largest(*image, factor, key)));
  };
  add("difference", layers.difference, difference_key);
  add("flip", layers.flip, brightness);
  return text;
}

/// 1 for pictures shown unreduced.
int factor_of(const Layers& layers) {
  int factor = 1;
  for (const std::optional<Side>* side_of : {&layers.golden, &layers.actual}) {
    if (!*side_of) continue;
    const Picture& one = (*side_of)->picture;
    const int side = std::max(one.width, one.height);
    const std::size_t bytes =
        one.pixels() * static_cast<std::size_t>(shown_channels(one)) * sample_bytes(one);
    if (bytes <= kWholeBytes && side <= kWholeSide) continue;
    factor = std::max({factor, 2, (side + kReducedSide - 1) / kReducedSide});
  }
  return factor;
}

/// [x, y, width, height, pixels, peak_x, peak_y] each.
std::string places_text(const Places& places) {
  std::string text = fmt::format("all_places:{},places:[", places.count);
  const char* separator = "";
  for (const DifferenceRegion& place : places.first) {
    text +=
        fmt::format("{}[{},{},{},{},{},{},{}]", separator, place.box.x, place.box.y,
                    place.box.width, place.box.height, place.pixels, place.peak_x, place.peak_y);
    separator = ",";
  }
  return text + "]";
}

/// Without the first picture, which the page fills in itself: the marks alone take little space.
Image only_marks(Image difference) {
  for (std::size_t i = 0; i < difference.bytes.size(); i += 3) {
    std::uint8_t* const rgb = &difference.bytes[i];
    if (rgb[0] == rgb[1] && rgb[1] == rgb[2]) std::fill(rgb, rgb + 3, std::uint8_t{255});
  }
  return difference;
}

/// Nothing if the file is missing, or known to be damaged.
std::optional<Side> read_if_there(const std::string& path, bool may_be_broken) {
  if (path.empty()) return std::nullopt;
  try {
    const InputFile input(path);
    Side side{read_picture(input), {}};
    if (side.picture.samples != Picture::Samples::kBytes) return side;
    Buffer<std::byte> file = input.read_all();
    const Picture& picture = side.picture;
    if (is_plain_png(file.span(), picture.width, picture.height, picture.channels))
      side.plain_png = std::move(file);
    return side;
  } catch (const Error&) {
    if (!may_be_broken) throw;
    return std::nullopt;
  }
}

Places places_in(const Picture& golden, const Picture& actual, const Image& difference) {
  std::vector<DifferenceRegion> regions = difference_regions(golden, actual, difference);
  const std::size_t count = regions.size();
  regions.resize(std::min(count, kPlaces));
  return {count, std::move(regions)};
}

Layers layers_of(const PairResult& result) {
  const bool may_be_broken = result.state == PairState::kNotCompared;
  Layers layers{read_if_there(result.golden_path, may_be_broken || result.state == PairState::kNew),
                read_if_there(result.actual_path, may_be_broken),
                {},
                {},
                {}};
  if (!layers.golden || !layers.actual) return layers;
  Picture &golden = layers.golden->picture, &actual = layers.actual->picture;
  const Tolerance& tolerance = result.tolerance;
  if (!same_shape(golden, actual)) {
    make_comparable(golden, actual, tolerance.is_shape_tolerant);
    if (same_shape(golden, actual)) layers.golden->plain_png = {}, layers.actual->plain_png = {};
  }
  const bool has_overlap = result.difference.overlap.has_value();
  if (!has_difference_image(result.difference)) return layers;
  if (has_overlap ? !differ_in_size_only(golden, actual) : !same_shape(golden, actual))
    return layers;  // the files changed in the meantime
  layers.difference = only_marks(difference_image(golden, actual, tolerance));
  if (layers.golden->plain_png.size() > 0 && layers.actual->plain_png.size() > 0 &&
      marks_itself(result))
    layers.max_delta = tolerance.max_delta;
  if (result.difference.flip)
    layers.flip = flip_of(golden, actual, tolerance, result.pixels_per_degree);
  return layers;
}

/// The script of two plain PNG files whose places are known, without decoding them. Empty for
/// others.
std::string undecoded_script(std::size_t index, const PairResult& result) {
  const int width = result.difference.width, height = result.difference.height;
  const int channels = static_cast<int>(result.difference.channels.size());
  if (!result.places || result.difference.flip || 4 * pixel_count(width, height) > kWholeBytes ||
      std::max(width, height) > kWholeSide)
    return "";
  std::string text =
      fmt::format("roundelPictures({},{{factor:1,{}", index, places_text(*result.places));
  for (const auto& [name, path] :
       {std::pair("golden", &result.golden_path), std::pair("actual", &result.actual_path)}) {
    const Buffer<std::byte> file = InputFile(*path).read_all();
    if (!is_plain_png(file.span(), width, height, channels)) return "";
    text += fmt::format(
        ",{}:{}", name,
        picture_text(width, height, channels, Picture::Samples::kBytes,
                     {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}));
  }
  return text + fmt::format(",max_delta:{}}});\n", result.tolerance.max_delta);
}

}  // namespace

bool marks_itself(const PairResult& result) {
  const Tolerance& tolerance = result.tolerance;
  return result.difference.kind == PictureDifference::Kind::kDifferent &&
         tolerance.ignore.empty() && !tolerance.mask && !tolerance.ignores_antialiasing;
}

Places places_of(const Picture& golden, const Picture& actual, const Tolerance& tolerance) {
  return places_in(golden, actual, only_marks(difference_image(golden, actual, tolerance)));
}

std::string report_pictures(std::size_t index, const PairResult& result) {
  if (std::string script = undecoded_script(index, result); !script.empty()) return script;
  const Layers layers = layers_of(result);
  if (!layers.golden && !layers.actual) return "";
  const int factor = factor_of(layers);
  const Places places = layers.difference ? places_in(layers.golden->picture,
                                                      layers.actual->picture, *layers.difference)
                                          : Places{};
  return fmt::format("roundelPictures({},{{factor:{},{}", index, factor, places_text(places)) +
         (factor == 1 ? full_texts(layers) : reduced_texts(layers, factor)) + "});\n";
}

}  // namespace roundel
