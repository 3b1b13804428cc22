#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"

namespace roundel {

/// The pixels of a JPEG or WebP file: 8 bits, rows top to bottom, channels interleaved; grey, RGB,
/// or RGBA with straight alpha.
struct PhotoPixels {
  int width = 0, height = 0, channels = 3;
  Buffer<std::uint8_t> bytes;         ///< [height · width · channels]
  std::vector<std::uint8_t> profile;  ///< ICC's, and
  std::vector<std::uint8_t> exif;     ///< Exif's; empty where the file has none
};

/// What a module exports that brings one of the two libraries.
using DecodePhoto = void(const std::string& path, std::span<const std::byte> file, DecodedPart part,
                         PhotoPixels& photo);
inline constexpr const char* kDecodePhoto = "roundel_decode_photo";

/// Nothing where the file starts like neither.
enum class PhotoFormat { kNone, kJpeg, kWebp };
PhotoFormat photo_format(std::span<const std::byte> start);

/// What is wrong with a file that is none of the pictures that can be read.
inline constexpr const char* kNoPicture = "expected a PNG, EXR, PFM, JPEG or WebP file";

/// True for names that end in .jpg, .jpeg or .webp, upper or lower case.
bool is_photo_name(const std::string& path);

/// Decodes a file of one of the formats. Throws Error(kInvalidScene) "PATH: not a sound JPEG: …",
/// also for JPEG files of which libjpeg says that they are corrupt, and "PATH: is not supported: …"
/// for what would come out otherwise than it is meant: CMYK and animations; Error(kRuntimeFailure)
/// where the module is missing.
PhotoPixels decode_photo(const std::string& path, std::span<const std::byte> file,
                         DecodedPart part = DecodedPart::kAll);
/// What it says of itself.
PngInfo read_photo_info(const std::string& path);

}  // namespace roundel
