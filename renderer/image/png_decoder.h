#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/image/png_chunks.h"
#include "renderer/image/png_row_reader.h"

namespace roundel {

/// Decodes a PNG file in memory, with limits on allocations. All functions throw
/// Error(kInvalidScene) "PATH: not a sound PNG: …".
class PngDecoder {
 public:
  /// Checks and reads every chunk. `file` must live as long as the decoder; `path` is for messages.
  PngDecoder(std::string path, std::span<const std::byte> file);

  const PngHeader& header() const { return chunks_.header(); }

  /// Samples of 8 bits, or of 16 in the machine's byte order, rows top to bottom. Grey below 8 bits
  /// is scaled to 0..255, a palette resolved to RGB, a tRNS chunk made an alpha channel.
  struct Pixels {
    int channels = 0;           ///< 1..4: grey, grey and alpha, RGB, RGBA
    int bit_depth = 0;          ///< 8 or 16
    Buffer<std::uint8_t> data;  ///< [height · width · channels · bit_depth / 8]
  };
  /// `part`: kHeader leaves `data` empty.
  Pixels decode(DecodedPart part = DecodedPart::kAll) const;
  /// Decodes row by row, in little memory.
  void check_pixels() const;

  /// Keywords and values, in file order.
  const std::vector<std::pair<std::string, std::string>>& text() const { return chunks_.text(); }
  std::optional<ImageMetadata> metadata() const;
  std::string color_space() const { return chunks_.color_space(); }
  /// Exif's, 1 to 8.
  int orientation() const { return chunks_.orientation(); }
  /// True for an animation (APNG); only its first picture is decoded.
  bool is_animated() const { return chunks_.is_animated(); }

  [[noreturn]] void fail(std::string_view problem) const { fail_png(path_, problem); }

 private:
  template <typename Use>
  void read_rows(PngSamples samples, const Use& use) const;
  Pixels empty_pixels() const;
  bool is_plain() const;
  void decode_plain(Pixels& pixels) const;
  void decode_rows(Pixels& pixels) const;
  void decode_indexed(Pixels& pixels) const;
  bool has_short_palette() const;
  void check_indices(const std::uint8_t* row, std::size_t columns) const;

  std::string path_;
  PngChunks::Bytes file_;
  PngChunks chunks_;
};

}  // namespace roundel
