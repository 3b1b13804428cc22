#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"

namespace roundel {

/// All channels of a level of a part, rows top to bottom, interleaved.
struct ExrLevel {
  struct Channel {
    std::string name;
    bool is_integer = false;  ///< samples hold the bits of std::uint32_t
  };

  std::string part;              ///< empty for the only one
  int level_x = 0, level_y = 0;  ///< 0, 0 is the largest one
  int left = 0, top = 0;         ///< first pixel of the data window
  int width = 0, height = 0;
  std::vector<Channel> channels;  ///< sorted by name
  Buffer<float> samples;          ///< [height · width · channels]; half floats are widened

  std::size_t pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::size_t all_samples() const { return pixels() * channels.size(); }
  double value(std::size_t pixel, std::size_t channel) const {
    const float sample = samples[pixel * channels.size() + channel];
    return channels[channel].is_integer ? static_cast<double>(std::bit_cast<std::uint32_t>(sample))
                                        : static_cast<double>(sample);
  }
};

/// Pixels of an EXR. A file of one part and level with the channels R, G, B or Y, with or without
/// A, half or float, is a plain picture: `samples` has the data window's pixels, rows top to
/// bottom, channels interleaved: grey (Y), grey and alpha, RGB, or RGBA; premultiplied. Other files
/// have `levels` instead.
struct ExrPixels {
  int width = 0, height = 0;
  int channels = 3;
  int left = 0, top = 0;  ///< the window's first pixel
  std::string layer;      ///< the start of a plain picture's channels: "diffuse."
  ExrDisplay display;
  Buffer<float> samples;  ///< [height · width · channels]; half floats are widened
  std::vector<ExrLevel> levels;
  std::optional<ImageMetadata> metadata;
};

/// Decodes an EXR in memory, of scan lines or tiles. Throws Error(kInvalidScene) "PATH: not a sound
/// EXR: …", and "PATH: is not supported: …" for subsampled channels and deep pixels.
ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file,
                     DecodedPart part = DecodedPart::kAll);

}  // namespace roundel
