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
  std::vector<std::uint8_t> profile;  ///< ICC; empty if missing
  std::vector<std::uint8_t> exif;     ///< Exif; empty if missing
};

/// Function that the modules export.
using DecodePhoto = void(const std::string& path, std::span<const std::byte> file, DecodedPart part,
                         PhotoPixels& photo);
inline constexpr const char* kDecodePhoto = "roundel_decode_photo";

enum class PhotoFormat { kNone, kJpeg, kWebp };
PhotoFormat photo_format(std::span<const std::byte> start);

inline constexpr const char* kNoPicture = "expected a PNG, EXR, PFM, JPEG or WebP file";

/// True for .jpg, .jpeg and .webp, upper or lower case.
bool is_photo_name(const std::string& path);

/// Throws Error(kInvalidScene) "PATH: not a sound JPEG: …", also for JPEG files that libjpeg
/// reports as corrupt, and "PATH: is not supported: …" for CMYK and animations, which would be
/// decoded wrongly; Error(kRuntimeFailure) if the module is missing.
PhotoPixels decode_photo(const std::string& path, std::span<const std::byte> file,
                         DecodedPart part = DecodedPart::kAll);
PngInfo read_photo_info(const std::string& path);

}  // namespace roundel
