#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"

namespace roundel {

/// A picture to compare, rows **top to bottom**, channels interleaved: grey, grey and alpha, RGB,
/// or RGBA. Alpha is straight in bytes and premultiplied in floats, as the files have it.
struct Picture {
  enum class Samples { kBytes, kFloats };

  int width = 0, height = 0;
  int channels = 3;                       ///< 1..4
  Samples samples = Samples::kBytes;      ///< which of the two buffers is filled
  Buffer<std::uint8_t> bytes;             ///< [height · width · channels], display values
  Buffer<float> floats;                   ///< the same shape; linear light, may be above 1
  std::optional<ImageMetadata> metadata;  ///< as Roundel writes it, where the file has it
};

/// Decodes a PNG, EXR or PFM, told by its first bytes. Throws Error(kInvalidScene) "PATH: …" on
/// anything else, anything unsound, or a size beyond what Roundel draws.
Picture read_picture(const std::string& path);

/// A picture that was just rendered.
Picture picture_of(Image image, ImageMetadata metadata);

}  // namespace roundel
