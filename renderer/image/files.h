#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/write_file.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// What a picture file says about its origin: PNG text chunks, EXR attributes. No time stamps, no
/// paths: the same frame is the same file.
struct ImageMetadata {
  std::string software;     ///< "roundel 0.1.0"
  std::string fingerprint;  ///< of the scene
  std::uint32_t seed = 0;
  std::int64_t frame = 0;
  std::string axes = {};  ///< axes_text() of the scene; may be empty
};

enum class ImageFormat { kPng, kExr, kPfm };
/// How far a file in memory is decoded: without samples it is checked that its kind is supported
/// and its header sound.
enum class DecodedPart { kHeader, kAll };
inline constexpr std::string_view kExrStart = "\x76\x2f\x31\x01";  ///< of every EXR file

/// By the path's ending, upper or lower case.
std::optional<ImageFormat> known_format(const std::string& path);
/// The same. Throws Error(kUsage) naming the endings it knows.
ImageFormat format_of(const std::string& path);

/// What a PNG's rows are.
struct PngShape {
  int width, height;
  int channels;  ///< 3 or 4
  int bits;      ///< 8 or 16

  std::size_t pixel_bytes() const { return static_cast<std::size_t>(channels * bits / 8); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(width) * pixel_bytes(); }
  /// Of the rows, each with a byte for its filter.
  std::uint64_t filtered_bytes() const {
    return static_cast<std::uint64_t>(height) * (row_bytes() + 1);
  }
};

/// A whole PNG file (RGB or RGBA of 8 or 16 bits, sRGB chunk, text chunks Software, Fingerprint,
/// Seed, Frame, Axes). `to_free`: the image's bytes where they need not last, which takes twice the
/// picture's memory instead of thrice.
std::vector<std::uint8_t> encode_png(const Image& image, const ImageMetadata& metadata,
                                     Buffer<std::uint8_t>* to_free = nullptr);
/// True where stb_image_write cannot write it, pictures over 2 GB or of 16 bits: encode_png makes
/// the same format by code of its own, as write_png always does, and needs no second copy of the
/// rows.
bool is_streamed_png(const PngShape& shape);
/// The same file as that of encode_png, written as write_file_atomically does. Pictures over 2 GB
/// go to the file as they are encoded, in little memory of their own.
void write_png(const std::string& path, const Image& image, const ImageMetadata& metadata);
/// What an EXR says that its values are (attributes colorInteropID and chromaticities).
enum class ExrValues {
  kLinear,   ///< linear light with Rec. 709's primaries: lin_rec709_scene
  kDisplay,  ///< the same in sRGB's curve: srgb_rec709_scene
  kData,     ///< no colours: data
};
constexpr ExrValues exr_values(BlendSpace blend_space) {
  return blend_space == BlendSpace::kLinear ? ExrValues::kLinear : ExrValues::kDisplay;
}
/// 32-bit float RGB, or premultiplied RGBA where `alpha` is set. `discarder`: of the framebuffer
/// where its rows need not last, which takes little more than its memory.
std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata,
                                     RowDiscarder* discarder = nullptr);
/// Float RGB, little-endian, rows bottom to top (alpha is dropped). `discarder`: as for EXR.
std::vector<std::uint8_t> encode_pfm(const Framebuffer& framebuffer,
                                     RowDiscarder* discarder = nullptr);

/// Reads the size, channels and metadata of a PNG (every chunk's CRC is checked and the pixels are
/// decoded). Throws Error(kInvalidScene) "PATH: …" on anything that is not a sound PNG.
struct PngInfo {
  int width = 0, height = 0, bit_depth = 0, channels = 0;
  std::string color_space;  ///< as color_space.h has it; "" is sRGB or not said
  int orientation = 1;      ///< Exif's
  std::vector<std::pair<std::string, std::string>> text;  ///< keyword, value, in file order
  std::optional<ImageMetadata> metadata;                  ///< when all of our text chunks are there
};
PngInfo read_png_info(const std::string& path);
/// Checks all chunks without decoding the pixels, in a fraction of the time.
PngInfo read_png_checksums(const std::string& path);

/// How an EXR's pixels are to be shown.
struct ExrDisplay {
  std::string chromaticities;  ///< "red (0.708, 0.292), …"; "": those of Rec. 709, or not said
  std::string window;          ///< "10x8 at (0, 0)", the display window; "": the data window
  float pixel_aspect = 1;      ///< a pixel's width / height
};

/// Decodes an EXR and returns what it says of itself. Throws Error(kInvalidScene) "PATH: …" on
/// anything that is not a sound EXR.
struct ExrInfo {
  int width = 0, height = 0;  ///< of the data window
  ExrDisplay display;
  std::vector<std::string> channels;      ///< "R half", in the file's order
  std::string values;                     ///< colorInteropID; "" where it is not said
  std::optional<ImageMetadata> metadata;  ///< when all of our attributes are there
};
ExrInfo read_exr_info(const std::string& path);
/// Throws Error(kInvalidScene).
Framebuffer read_pfm(const std::string& path);

}  // namespace roundel
