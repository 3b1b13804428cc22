#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"

namespace roundel {

/// Pixels of an EXR's data window, rows top to bottom, channels interleaved: grey (Y), grey and
/// alpha, RGB, or RGBA; premultiplied.
struct ExrPixels {
  int width = 0, height = 0;
  int channels = 3;
  int left = 0, top = 0;  ///< the window's first pixel
  ExrDisplay display;
  Buffer<float> samples;  ///< [height · width · channels]; half floats are widened
  std::optional<ImageMetadata> metadata;
};

/// Decodes an EXR in memory, of scan lines or tiles. Channels may share a layer's name
/// ("diffuse.R"). Throws Error(kInvalidScene) "PATH: not a sound EXR: …", and "PATH: is not
/// supported: …" for further channels, parts or levels, 32-bit integers, subsampled channels and
/// deep pixels.
ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file,
                     DecodedPart part = DecodedPart::kAll);

}  // namespace roundel
