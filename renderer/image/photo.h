#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"

namespace roundel {

/// Pixels of a JPEG or WebP file: 8 bits, rows top to bottom, channels interleaved; grey, RGB, or
/// RGBA with straight alpha.
struct PhotoPixels {
  int width = 0, height = 0, channels = 3;
  Buffer<std::uint8_t> bytes;         ///< [height · width · channels]
  std::vector<std::uint8_t> profile;  ///< the ICC profile; empty if missing
  std::vector<std::uint8_t> exif;     ///< the Exif data; empty if missing
};

/// The function that a module for one of the two libraries exports.
using DecodePhoto = void(const std::string& path, std::span<const std::byte> file, DecodedPart part,
                         PhotoPixels& photo);
inline constexpr const char* kDecodePhoto = "roundel_decode_photo";

/// kNone for files of other formats.
enum class PhotoFormat { kNone, kJpeg, kWebp };
PhotoFormat photo_format(std::span<const std::byte> start);

/// Problem of a file that is not a readable picture.
inline constexpr const char* kNoPicture = "expected a PNG, EXR, PFM, JPEG or WebP file";

/// True for names that end in .jpg, .jpeg or .webp, upper or lower case.
bool is_photo_name(const std::string& path);

/// Decodes a file of one of the formats. Throws Error(kInvalidScene) "PATH: not a sound JPEG: …",
/// also for JPEG files that libjpeg reports as corrupt, and "PATH: is not supported: …" for CMYK
/// and animations, which would be decoded wrongly; Error(kRuntimeFailure) if the module is missing.
PhotoPixels decode_photo(const std::string& path, std::span<const std::byte> file,
                         DecodedPart part = DecodedPart::kAll);
/// Reads the header and metadata.
PngInfo read_photo_info(const std::string& path);

}  // namespace roundel
