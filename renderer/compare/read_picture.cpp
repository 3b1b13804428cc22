#include <algorithm>
#include <cstring>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/compare/picture.h"
#include "renderer/image/exr_reader.h"
#include "renderer/image/pfm.h"
#include "renderer/image/png_decoder.h"

namespace roundel {
namespace {

bool starts_with(std::span<const std::byte> file, std::string_view start) {
  return file.size() >= start.size() && std::memcmp(file.data(), start.data(), start.size()) == 0;
}

std::optional<ImageFormat> format_of_bytes(std::span<const std::byte> file) {
  if (starts_with(file, "\x89PNG")) return ImageFormat::kPng;
  if (starts_with(file, "\x76\x2f\x31\x01")) return ImageFormat::kExr;
  if (starts_with(file, "PF") || starts_with(file, "Pf")) return ImageFormat::kPfm;
  return std::nullopt;
}

Picture decode_png_picture(const std::string& path, std::span<const std::byte> file) {
  PngDecoder decoder(path, file);
  PngDecoder::Pixels pixels = decoder.decode();
  Picture picture;
  picture.width = static_cast<int>(decoder.header().width);
  picture.height = static_cast<int>(decoder.header().height);
  picture.channels = pixels.channels;
  picture.color_space = decoder.color_space();
  picture.metadata = decoder.metadata();
  if (pixels.bit_depth == 8) {
    picture.bytes = std::move(pixels.data);
    return picture;
  }
  picture.samples = Picture::Samples::kWords;
  picture.floats = Buffer<float>(pixels.data.size() / 2);
  for (std::size_t i = 0; i < picture.floats.size(); ++i) {
    std::uint16_t word = 0;
    std::memcpy(&word, &pixels.data[2 * i], 2);
    picture.floats[i] = static_cast<float>(word) / 257.0f;  // 65535 is level 255
  }
  return picture;
}

Picture decode_exr_picture(const std::string& path, std::span<const std::byte> file) {
  ExrPixels exr = decode_exr(path, file);
  Picture picture;
  picture.samples = Picture::Samples::kFloats;
  picture.width = exr.width, picture.height = exr.height, picture.channels = exr.channels;
  picture.left = exr.left, picture.top = exr.top;
  picture.floats = std::move(exr.samples);
  picture.metadata = std::move(exr.metadata);
  return picture;
}

Picture decode_pfm_picture(const std::string& path, std::span<const std::byte> file) {
  const PfmPixels pfm = parse_pfm(path, file);
  Picture picture;
  picture.samples = Picture::Samples::kFloats;
  picture.width = pfm.width, picture.height = pfm.height, picture.channels = pfm.channels;
  const std::size_t row =
      static_cast<std::size_t>(pfm.width) * static_cast<std::size_t>(pfm.channels);
  const auto height = static_cast<std::size_t>(pfm.height);
  picture.floats = Buffer<float>(row * height);
  for (std::size_t y = 0; y < height; ++y)  // a file's rows go up
    pfm.copy_row(height - 1 - y, picture.floats.data() + y * row);
  return picture;
}

}  // namespace

bool is_picture(std::span<const std::byte> file) {
  return format_of_bytes(file).has_value();
}

Picture decode_picture(const std::string& path, std::span<const std::byte> file) {
  const std::optional<ImageFormat> format = format_of_bytes(file);
  if (!format) throw Error(ExitCode::kInvalidScene, path + ": expected a PNG, EXR or PFM file");
  switch (*format) {
    case ImageFormat::kPng:
      return decode_png_picture(path, file);
    case ImageFormat::kExr:
      return decode_exr_picture(path, file);
    default:
      return decode_pfm_picture(path, file);
  }
}

Picture read_picture(const std::string& path) {
  const MappedFile file(path);
  return decode_picture(path, file.bytes());
}

Picture picture_of(Image image, ImageMetadata metadata) {
  Picture picture;
  picture.width = image.width, picture.height = image.height, picture.channels = image.channels;
  picture.bytes = std::move(image.bytes);
  picture.metadata = std::move(metadata);
  return picture;
}

}  // namespace roundel
