#pragma once
#include <spng.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"

namespace roundel {

/// A PNG file in memory being decoded, with limits on what it may make us allocate. All functions
/// throw Error(kInvalidScene) "PATH: not a sound PNG: …".
class PngDecoder {
 public:
  /// Checks every chunk's checksum and reads what lies before the pixels. `file` must live as long
  /// as the decoder; `path` is for messages.
  PngDecoder(std::string path, std::span<const std::byte> file);

  const spng_ihdr& header() const { return header_; }
  /// Samples a pixel in the file: 1 (also for a palette) to 4.
  int file_channels() const;

  /// The decoded picture: samples of 8 or 16 bits, the latter in the machine's byte order, rows top
  /// to bottom. Grey below 8 bits is spread over 0..255, a palette resolved to RGB, a tRNS chunk
  /// made an alpha channel.
  struct Pixels {
    int channels = 0;           ///< 1..4: grey, grey and alpha, RGB, RGBA
    int bit_depth = 0;          ///< 8 or 16
    Buffer<std::uint8_t> data;  ///< [height · width · channels · bit_depth / 8]
  };
  /// `part`: for the header alone there is no data.
  Pixels decode(DecodedPart part = DecodedPart::kAll);
  /// Decodes row by row, so that memory stays small, and throws the pixels away.
  void check_pixels();

  /// Of the text chunks read so far: after check_pixels() all of them, else those before the
  /// pixels.
  std::vector<std::pair<std::string, std::string>> text();
  std::optional<ImageMetadata> metadata();
  /// What the samples mean: "" for sRGB, also for files that say nothing; "gamma 1", "an ICC
  /// profile (1a2b3c4d)". Of the chunks that say it the first in the order of the PNG
  /// specification's third edition counts: cICP, iCCP, sRGB, gAMA and cHRM.
  std::string color_space();
  /// Exif's, 1 to 8.
  int orientation() const { return orientation_; }
  /// True for an animation (APNG), of which only the first picture is decoded.
  bool is_animated() const { return is_animated_; }

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  void check_chunks();
  bool has_transparency_chunk();
  bool is_plain();
  int packed_format(Pixels& pixels);
  void decode_plain(Pixels& pixels);
  void decode_indexed(Pixels& pixels);
  void check_profile();
  std::size_t palette_index(const std::uint8_t* row, std::size_t x) const;
  void check_indices(const std::uint8_t* row, std::size_t palette_size) const;
  void check(int result) const;

  std::string path_;
  std::span<const std::uint8_t> file_;
  std::vector<std::span<const std::uint8_t>> compressed_;  ///< the IDAT chunks' contents
  bool has_profile_ = false;                               ///< there is an iCCP chunk
  std::span<const std::uint8_t> code_points_;  ///< of the cICP chunk, which libspng does not know
  int orientation_ = 1;
  bool is_animated_ = false;
  std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context_;
  spng_ihdr header_{};
  std::size_t packed_size_ = 0;  ///< of the samples as the file has them
};

}  // namespace roundel
