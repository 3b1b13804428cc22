#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/exr_structure.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/picture.h"
#include "renderer/image/color_space.h"
#include "renderer/image/exr_reader.h"
#include "renderer/image/pfm.h"
#include "renderer/image/photo.h"
#include "renderer/image/png_decoder.h"

namespace roundel {
namespace {

constexpr std::size_t kStartBytes = kMaxPfmHeaderBytes;  ///< also enough to recognize the format

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

Picture decode_png_picture(const std::string& path, std::span<const std::byte> file,
                           DecodedPart part) {
  PngDecoder decoder(path, file);
  if (decoder.is_animated())
    throw Error(ExitCode::kInvalidScene,
                path + ": is not supported: an animation; save one frame as its own file");
  PngDecoder::Pixels pixels = decoder.decode(part);
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

Picture decode_exr_picture(const std::string& path, std::span<const std::byte> file,
                           DecodedPart part) {
  ExrPixels exr = decode_exr(path, file, part);
  Picture picture;
  picture.samples = Picture::Samples::kFloats;
  picture.width = exr.width, picture.height = exr.height, picture.channels = exr.channels;
  picture.left = exr.left, picture.top = exr.top;
  picture.display = std::move(exr.display);
  picture.floats = std::move(exr.samples);
  picture.metadata = std::move(exr.metadata);
  picture.layer = std::move(exr.layer);
  picture.levels = std::move(exr.levels);
  if (!picture.levels.empty()) show_a_layer(picture);
  return picture;
}

Picture decode_photo_picture(const std::string& path, std::span<const std::byte> file,
                             DecodedPart part) {
  PhotoPixels photo = decode_photo(path, file, part);
  Picture picture;
  picture.width = photo.width, picture.height = photo.height, picture.channels = photo.channels;
  picture.bytes = std::move(photo.bytes);
  if (!photo.profile.empty()) picture.color_space = profile_text(photo.profile);
  picture.orientation = exif_orientation(photo.exif);
  return picture;
}

Picture pfm_shape(const PfmHeader& pfm) {
  Picture picture;
  picture.samples = Picture::Samples::kFloats;
  picture.width = pfm.width, picture.height = pfm.height, picture.channels = pfm.channels;
  return picture;
}

/// `read_at(offset, bytes)` reads from the file, which begins with `start`.
template <typename ReadAt>
Picture decode_pfm_picture(const std::string& path, std::span<const std::byte> start,
                           std::uint64_t file_size, const ReadAt& read_at) {
  const PfmHeader pfm = parse_pfm_header(path, start, file_size);
  Picture picture = pfm_shape(pfm);
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

/// Decodes all formats except PFM.
Picture decode(Format format, const std::string& path, std::span<const std::byte> file,
               DecodedPart part) {
  if (format == Format::kPng) return decode_png_picture(path, file, part);
  if (format == Format::kExr) return decode_exr_picture(path, file, part);
  return decode_photo_picture(path, file, part);
}

/// Upper bound while decoding: libwebp may have a copy, libjpeg keeps two more, a PNG's palette
/// one, and words become floats.
std::uint64_t bytes_for_sample(const Picture& picture) {
  constexpr std::uint64_t kBytes = 3, kWords = 6, kFloats = 4;
  if (picture.samples == Picture::Samples::kBytes) return kBytes;
  return picture.samples == Picture::Samples::kWords ? kWords : kFloats;
}

PictureHeader header_of(Picture shape, std::uint64_t file_bytes) {
  std::uint64_t samples = shape.sample_at(0, shape.height);
  for (const ExrLevel& level : shape.levels) samples += level.all_samples();
  const std::uint64_t memory = file_bytes + samples * bytes_for_sample(shape);
  return {std::move(shape), memory};
}

/// Rows are read into the picture.
PictureHeader pfm_picture_header(const std::string& path, std::span<const std::byte> start,
                                 std::uint64_t file_size) {
  return header_of(pfm_shape(parse_pfm_header(path, start, file_size)), 0);
}

Format read_format(const InputFile& file, std::string& start) {
  start = file.read(kStartBytes);
  return checked_format(file.path(), std::as_bytes(std::span(start)));
}

Picture read_pfm_picture(const InputFile& file, const std::string& start) {
  file.check_fits_memory();
  Picture picture = decode_pfm_picture(
      file.path(), std::as_bytes(std::span(start)), file.size(),
      [&file](std::uint64_t offset, std::span<std::byte> bytes) { file.read_at(offset, bytes); });
  file.check_unchanged();
  return picture;
}

}  // namespace

Picture decode_picture(const std::string& path, std::span<const std::byte> file) {
  const Format format = checked_format(path, file);
  if (format != Format::kPfm) return decode(format, path, file, DecodedPart::kAll);
  return decode_pfm_picture(path, file, file.size(),
                            [file](std::uint64_t offset, std::span<std::byte> bytes) {
                              std::memcpy(bytes.data(), file.data() + offset, bytes.size());
                            });
}

PictureHeader decode_picture_header(const std::string& path, std::span<const std::byte> file) {
  const Format format = checked_format(path, file);
  return format == Format::kPfm
             ? pfm_picture_header(path, file, file.size())
             : header_of(decode(format, path, file, DecodedPart::kHeader), file.size());
}

PictureHeader read_picture_header(const InputFile& file) {
  std::string start;
  if (read_format(file, start) != Format::kPfm)
    return decode_picture_header(file.path(), file.read_all().span());
  return pfm_picture_header(file.path(), std::as_bytes(std::span(start)), file.size());
}

Picture read_picture(const InputFile& file) {
  try {
    std::string start;
    const Format format = read_format(file, start);
    return format == Format::kPfm
               ? read_pfm_picture(file, start)
               : decode(format, file.path(), file.read_all().span(), DecodedPart::kAll);
  } catch (const std::bad_alloc&) {
    const auto bytes = static_cast<double>(read_picture_header(file).memory);
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: needs about {} of memory, more than this process gets",
                            file.path(), memory_text(bytes)));
  }
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
  copy.left = picture.left, copy.top = picture.top, copy.display = picture.display;
  copy.layer = picture.layer;
  for (const ExrLevel& level : picture.levels) {
    ExrLevel& same = copy.levels.emplace_back();
    same.part = level.part, same.level_x = level.level_x, same.level_y = level.level_y;
    same.left = level.left, same.top = level.top;
    same.width = level.width, same.height = level.height;
    same.channels = level.channels;
    same.samples = Buffer<float>(level.samples.size());
    std::copy(level.samples.begin(), level.samples.end(), same.samples.begin());
  }
  copy.color_space = picture.color_space;
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

Picture picture_of(int width, int height, int channels, Picture::Samples type,
                   const void* samples) {
  Picture picture;
  picture.width = width, picture.height = height, picture.channels = channels;
  const std::size_t count = picture.pixels() * static_cast<std::size_t>(channels);
  if (type == Picture::Samples::kBytes) {
    picture.bytes = Buffer<std::uint8_t>(count);
    std::memcpy(picture.bytes.data(), samples, count);
  } else if (type == Picture::Samples::kWords) {
    set_words(picture, count,
              [&](std::size_t i) { return static_cast<const std::uint16_t*>(samples)[i]; });
  } else {
    picture.samples = type;
    picture.floats = Buffer<float>(count);
    std::memcpy(picture.floats.data(), samples, count * sizeof(float));
  }
  return picture;
}

}  // namespace roundel
