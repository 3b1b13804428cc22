#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/base/input_file.h"
#include "renderer/image/exr_reader.h"
#include "renderer/image/files.h"

namespace roundel {

/// Rows **top to bottom**, channels interleaved: grey, grey and alpha, RGB, or RGBA. Alpha is
/// straight in PNG and premultiplied in EXR, as in the files.
struct Picture {
  enum class Samples {
    kBytes,   ///< 8 bits, display values
    kWords,   ///< 16 bits, display values; in `floats`, as levels 0..255 with fractions
    kFloats,  ///< linear light, may exceed 1
  };

  int width = 0, height = 0;
  int channels = 3;  ///< 1..4
  Samples samples = Samples::kBytes;
  Buffer<std::uint8_t> bytes;  ///< [height · width · channels], of kBytes
  Buffer<float> floats;        ///< the same shape, for the others
  int left = 0, top = 0;       ///< first pixel of an EXR's data window
  ExrDisplay display;          ///< for EXR
  std::string layer;           ///< the start of a plain EXR's channels: "diffuse."
  /// All channels of an EXR with others than R, G, B or Y, and A, or with several parts or levels:
  /// the other fields have the layer that is shown.
  std::vector<ExrLevel> levels;
  std::string color_space;  ///< "" for sRGB or unspecified; "gamma 1", "an ICC profile …"
  int orientation = 1;      ///< Exif's; pixels are as stored
  std::optional<ImageMetadata> metadata;  ///< Roundel's, if the file has it

  bool is_linear() const { return samples == Samples::kFloats; }
  /// In bytes, of all levels; a plain picture's channels count as floats.
  std::uint64_t memory_of_samples() const {
    std::uint64_t count = sample_at(0, height);
    for (const ExrLevel& level : levels) count += level.all_samples();
    return count * sizeof(float);
  }
  std::size_t pixels() const { return pixel_count(width, height); }
  /// Index of the first sample of pixel (x, y).
  std::size_t sample_at(int x, int y) const {
    return (pixel_count(width, y) + static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(channels);
  }
};

/// Names of a plain picture's channels: "RGB".
inline std::string_view plain_channels(int channels) {
  constexpr std::string_view kNames[] = {"Y", "YA", "RGB", "RGBA"};
  return kNames[channels - 1];
}

/// |a − b| of two floats, in the unit of limits. For words a level is exactly 257 steps.
inline double sample_delta(float a, float b, Picture::Samples samples) {
  const double delta = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return samples == Picture::Samples::kWords ? std::round(delta * 257) / 257 : delta;
}

/// Decodes a PNG, EXR, PFM, JPEG or WebP, recognized by its first bytes. Throws
/// Error(kInvalidScene) "PATH: …" for other and damaged files, sizes beyond Roundel's limit, and
/// features that would be lost; Error(kRuntimeFailure) if the memory is too small. PNG: all kinds;
/// a palette becomes RGB, a tRNS chunk an alpha channel. EXR: exr_reader.h. JPEG and WebP: photo.h.
Picture read_picture(const std::string& path);
Picture read_picture(const InputFile& file);
/// `path` is for messages.
Picture decode_picture(const std::string& path, std::span<const std::byte> file);

struct PictureHeader {
  Picture shape;             ///< without samples
  std::uint64_t memory = 0;  ///< upper bound for reading it
};
/// Throws as read_picture() does for unsupported kinds and damaged headers, and for a PNG with
/// truncated chunks or wrong checksums.
PictureHeader read_picture_header(const InputFile& file);
PictureHeader decode_picture_header(const std::string& path, std::span<const std::byte> file);

Picture copy_of(const Picture& picture);

Picture picture_of(Image image, ImageMetadata metadata);
/// Copies samples [height][width][channels]: std::uint8_t, std::uint16_t or float, by `type`.
Picture picture_of(int width, int height, int channels, Picture::Samples type, const void* samples);

}  // namespace roundel
