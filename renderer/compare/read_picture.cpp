#include <algorithm>
#include <cstring>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/picture.h"
#include "renderer/image/color_space.h"
#include "renderer/image/exr_reader.h"
#include "renderer/image/pfm.h"
#include "renderer/image/photo.h"
#include "renderer/image/png_decoder.h"

namespace roundel {
namespace {

constexpr std::size_t kStartBytes = kMaxPfmHeaderBytes;  ///< tell the formats apart, too

bool starts_with(std::span<const std::byte> file, std::string_view start) {
  return file.size() >= start.size() && std::memcmp(file.data(), start.data(), start.size()) == 0;
}

enum class Format { kPng, kExr, kPfm, kPhoto };

std::optional<Format> format_of_bytes(std::span<const std::byte> file) {
  if (starts_with(file, "\x89PNG")) return Format::kPng;
  if (starts_with(file, kExrStart)) return Format::kExr;
  if (starts_with(file, "PF") || starts_with(file, "Pf")) return Format::kPfm;
  if (photo_format(file) != PhotoFormat::kNone) return Format::kPhoto;
  return std::nullopt;
}

Format checked_format(const std::string& path, std::span<const std::byte> file) {
  if (const std::optional<Format> format = format_of_bytes(file)) return *format;
  check_no_lfs_pointer(path, {reinterpret_cast<const char*>(file.data()), file.size()});
  throw Error(ExitCode::kInvalidScene, path + ": " + kNoPicture);
}

template <typename WordAt>
void set_words(Picture& picture, std::size_t count, const WordAt& word_at) {
  picture.samples = Picture::Samples::kWords;
  picture.floats = Buffer<float>(count);
  for (std::size_t i = 0; i < count; ++i)
    picture.floats[i] = static_cast<float>(word_at(i)) / 257.0f;  // 65535 is level 255
}

Picture decode_png_picture(const std::string& path, std::span<const std::byte> file) {
  PngDecoder decoder(path, file);
  PngDecoder::Pixels pixels = decoder.decode();
  Picture picture;
  picture.width = static_cast<int>(decoder.header().width);
  picture.height = static_cast<int>(decoder.header().height);
  picture.channels = pixels.channels;
  picture.color_space = decoder.color_space();
  picture.orientation = decoder.orientation();
  picture.metadata = decoder.metadata();
  if (pixels.bit_depth == 8) {
    picture.bytes = std::move(pixels.data);
    return picture;
  }
  set_words(picture, pixels.data.size() / 2, [&](std::size_t i) {
    std::uint16_t word = 0;
    std::memcpy(&word, &pixels.data[2 * i], 2);
    return word;
  });
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

Picture decode_photo_picture(const std::string& path, std::span<const std::byte> file) {
  PhotoPixels photo = decode_photo(path, file);
  Picture picture;
  picture.width = photo.width, picture.height = photo.height, picture.channels = photo.channels;
  picture.bytes = std::move(photo.bytes);
  if (!photo.profile.empty()) picture.color_space = profile_text(photo.profile);
  picture.orientation = exif_orientation(photo.exif);
  return picture;
}

/// `read_at(offset, bytes)` fills bytes from the file's, which `start` begins and which are
/// `file_size`.
template <typename ReadAt>
Picture decode_pfm_picture(const std::string& path, std::span<const std::byte> start,
                           std::uint64_t file_size, const ReadAt& read_at) {
  const PfmHeader pfm = parse_pfm_header(path, start, file_size);
  Picture picture;
  picture.samples = Picture::Samples::kFloats;
  picture.width = pfm.width, picture.height = pfm.height, picture.channels = pfm.channels;
  const auto height = static_cast<std::size_t>(pfm.height);
  picture.floats = Buffer<float>(pfm.row_floats() * height);
  for (std::size_t y = 0; y < height; ++y) {  // a file's rows go up
    const std::span<float> row =
        picture.floats.span().subspan(y * pfm.row_floats(), pfm.row_floats());
    read_at(pfm.row_offset(height - 1 - y), std::as_writable_bytes(row));
    pfm.to_native(row);
  }
  return picture;
}

}  // namespace

bool is_picture(const InputFile& file) {
  const std::string start = file.read(kStartBytes);
  return format_of_bytes(std::as_bytes(std::span(start))).has_value();
}

Picture decode_picture(const std::string& path, std::span<const std::byte> file) {
  switch (checked_format(path, file)) {
    case Format::kPng:
      return decode_png_picture(path, file);
    case Format::kExr:
      return decode_exr_picture(path, file);
    case Format::kPhoto:
      return decode_photo_picture(path, file);
    default:
      return decode_pfm_picture(path, file, file.size(),
                                [file](std::uint64_t offset, std::span<std::byte> bytes) {
                                  std::memcpy(bytes.data(), file.data() + offset, bytes.size());
                                });
  }
}

Picture read_picture(const InputFile& file) {
  const std::string text = file.read(kStartBytes);
  const std::span<const std::byte> start = std::as_bytes(std::span(text));
  if (checked_format(file.path(), start) != Format::kPfm)
    return decode_picture(file.path(), file.read_all().span());
  file.check_fits_memory();
  Picture picture = decode_pfm_picture(  // its rows go straight to their place
      file.path(), start, file.size(),
      [&file](std::uint64_t offset, std::span<std::byte> bytes) { file.read_at(offset, bytes); });
  file.check_unchanged();
  return picture;
}

Picture read_picture(const std::string& path) {
  return read_picture(InputFile(path));
}

Picture copy_of(const Picture& picture) {
  Picture copy;
  copy.width = picture.width, copy.height = picture.height, copy.channels = picture.channels;
  copy.samples = picture.samples;
  copy.bytes = Buffer<std::uint8_t>(picture.bytes.size());
  copy.floats = Buffer<float>(picture.floats.size());
  std::copy(picture.bytes.begin(), picture.bytes.end(), copy.bytes.begin());
  std::copy(picture.floats.begin(), picture.floats.end(), copy.floats.begin());
  copy.left = picture.left, copy.top = picture.top, copy.color_space = picture.color_space;
  copy.orientation = picture.orientation;
  copy.metadata = picture.metadata;
  return copy;
}

Picture picture_of(Image image, ImageMetadata metadata) {
  Picture picture;
  picture.width = image.width, picture.height = image.height, picture.channels = image.channels;
  if (image.bits == 16) {
    set_words(picture, image.bytes.size() / 2,
              [&](std::size_t i) { return image.bytes[2 * i] << 8 | image.bytes[2 * i + 1]; });
  } else {
    picture.bytes = std::move(image.bytes);
  }
  picture.metadata = std::move(metadata);
  return picture;
}

}  // namespace roundel
