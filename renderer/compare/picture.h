#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "renderer/base/buffer.h"
#include "renderer/base/input_file.h"
#include "renderer/image/files.h"

namespace roundel {

/// A picture to compare, rows **top to bottom**, channels interleaved: grey, grey and alpha, RGB,
/// or RGBA. Alpha is straight in PNG and premultiplied in EXR, as the files have it.
struct Picture {
  enum class Samples {
    kBytes,   ///< 8 bits, display values
    kWords,   ///< 16 bits, display values; in `floats`, as levels 0..255 with fractions
    kFloats,  ///< linear light, may be above 1
  };

  int width = 0, height = 0;
  int channels = 3;  ///< 1..4
  Samples samples = Samples::kBytes;
  Buffer<std::uint8_t> bytes;  ///< [height · width · channels], of kBytes
  Buffer<float> floats;        ///< the same shape, of the others
  int left = 0, top = 0;       ///< where an EXR's pixels begin (its data window)
  ExrDisplay display;          ///< an EXR's
  std::string color_space;     ///< "" is sRGB or not said; "gamma 1", "an ICC profile …"
  int orientation = 1;         ///< Exif's, by which a viewer turns it; pixels are as stored
  std::optional<ImageMetadata> metadata;  ///< as Roundel writes it, where the file has it

  bool is_linear() const { return samples == Samples::kFloats; }
  std::size_t pixels() const { return pixel_count(width, height); }
  /// The first of the samples of pixel (x, y).
  std::size_t sample_at(int x, int y) const {
    return (pixel_count(width, y) + static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(channels);
  }
};

/// |a − b| of two samples of such a picture's floats, in the unit that people give limits in. Of
/// words a level is exactly 257 of them, however the floats were rounded.
inline double sample_delta(float a, float b, Picture::Samples samples) {
  const double delta = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return samples == Picture::Samples::kWords ? std::round(delta * 257) / 257 : delta;
}

/// Decodes a PNG, EXR, PFM, JPEG or WebP, told by its first bytes. Throws Error(kInvalidScene)
/// "PATH: …" on anything else, anything unsound, a size beyond what Roundel draws, and what would
/// be silently lost; Error(kRuntimeFailure) for what this machine's memory cannot hold. PNG of all
/// kinds: a palette becomes RGB, a tRNS chunk an alpha channel. EXR with the channels R, G, B or Y,
/// with or without A, half or float. JPEG and WebP: photo.h.
Picture read_picture(const std::string& path);
Picture read_picture(const InputFile& file);
/// Decodes a file in memory; `path` is for messages.
Picture decode_picture(const std::string& path, std::span<const std::byte> file);

/// A picture of which only the header was read.
struct PictureHeader {
  Picture shape;             ///< without samples
  std::uint64_t memory = 0;  ///< bytes that reading it takes at most
};
/// Reads the header. Throws what read_picture() throws for a kind that is not supported, a header
/// that is not sound, and a PNG whose chunks are cut off or have wrong checksums.
PictureHeader read_picture_header(const InputFile& file);
PictureHeader decode_picture_header(const std::string& path, std::span<const std::byte> file);

Picture copy_of(const Picture& picture);

/// A picture that was just rendered.
Picture picture_of(Image image, ImageMetadata metadata);
/// Copies samples [height][width][channels]: std::uint8_t, std::uint16_t or float, as `type` says.
Picture picture_of(int width, int height, int channels, Picture::Samples type, const void* samples);

}  // namespace roundel
