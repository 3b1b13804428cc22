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

/// This program, in files and for --version.
extern const char* const kSoftware;

/// Origin of a picture in its file: PNG text chunks, EXR attributes. Without time stamps and paths,
/// so that equal frames give equal files.
struct ImageMetadata {
  std::string software;  ///< "roundel 0.1.0"
  std::string fingerprint;
  std::uint32_t seed = 0;
  std::int64_t frame = 0;
  std::string axes = {};  ///< axes_text() of the scene; may be empty
};

enum class ImageFormat { kPng, kExr, kPfm };
/// kHeader checks only that the kind is supported and the header sound.
enum class DecodedPart { kHeader, kAll };
inline constexpr std::string_view kExrStart = "\x76\x2f\x31\x01";  ///< magic number

/// Format of the path's extension, upper or lower case.
std::optional<ImageFormat> known_format(const std::string& path);
/// Like known_format(). Throws Error(kUsage) that lists the extensions.
ImageFormat format_of(const std::string& path);

struct PngShape {
  int width, height;
  int channels;  ///< 3 or 4
  int bits;      ///< 8 or 16

  std::size_t pixel_bytes() const { return static_cast<std::size_t>(channels * bits / 8); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(width) * pixel_bytes(); }
  std::uint64_t filtered_bytes() const {
    return static_cast<std::uint64_t>(height) * (row_bytes() + 1);
  }
};

/// Encodes a PNG (RGB or RGBA of 8 or 16 bits, sRGB chunk, text chunks Software, Fingerprint, Seed,
/// Frame, Axes). `to_free`: the image's bytes if they may be freed, which takes twice the picture's
/// memory instead of three times.
std::vector<std::uint8_t> encode_png(const Image& image, const ImageMetadata& metadata,
                                     Buffer<std::uint8_t>* to_free = nullptr);
/// True for pictures over 2 GB or of 16 bits, which stb_image_write cannot write. encode_png then
/// encodes the same format itself, without a second copy of the rows, as write_png always does.
bool is_streamed_png(const PngShape& shape);
/// Writes encode_png's file, as write_file_atomically does. Pictures over 2 GB are written as they
/// are encoded.
void write_png(const std::string& path, const Image& image, const ImageMetadata& metadata,
               Sync sync = Sync::kNow);
/// Meaning of an EXR's values (attributes colorInteropID and chromaticities).
enum class ExrValues {
  kLinear,   ///< linear light, Rec. 709 primaries: lin_rec709_scene
  kDisplay,  ///< these with sRGB's curve: srgb_rec709_scene
  kData,     ///< not colours: data
};
constexpr ExrValues exr_values(BlendSpace blend_space) {
  return blend_space == BlendSpace::kLinear ? ExrValues::kLinear : ExrValues::kDisplay;
}
/// All keep the values as they are.
enum class ExrCompression { kNone, kRle, kZips, kZip, kPiz };
struct ExrStorage {
  bool is_half = false;  ///< 16-bit floats, rounded to nearest, ties to even; else 32-bit floats
  ExrCompression compression = ExrCompression::kZip;
};
/// Encodes RGB, or premultiplied RGBA with `alpha`. `discarder`: the framebuffer's if its rows may
/// be freed, which takes little more than its memory. Throws Error(kInvalidScene) for a finite
/// value that half floats cannot store.
std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata,
                                     RowDiscarder* discarder = nullptr, ExrStorage storage = {});
/// Encodes float RGB, little-endian, rows bottom to top, without alpha. `discarder`: as for EXR.
std::vector<std::uint8_t> encode_pfm(const Framebuffer& framebuffer,
                                     RowDiscarder* discarder = nullptr);

/// Reads the size, channels and metadata of a PNG, and checks all of it, pixels too. Throws
/// Error(kInvalidScene) "PATH: …" for anything but a sound PNG.
struct PngInfo {
  int width = 0, height = 0, bit_depth = 0, channels = 0;
  std::string color_space;  ///< as in color_space.h; "" for sRGB or unspecified
  int orientation = 1;      ///< Exif's
  std::vector<std::pair<std::string, std::string>> text;  ///< keyword, value, in file order
  std::optional<ImageMetadata> metadata;                  ///< set if all of Roundel's text is there
};
PngInfo read_png_info(const std::string& path);
/// Does not decode the pixels: takes a fraction of the time.
PngInfo read_png_checksums(const std::string& path);

struct ExrDisplay {
  std::string chromaticities;  ///< "red (0.708, 0.292), …"; "": Rec. 709 or unspecified
  std::int64_t left = 0, top = 0, width = 0, height = 0;  ///< display window; 0x0: the data window
  bool is_data_window = true;                             ///< display and data window are the same
  float pixel_aspect = 1;                                 ///< a pixel's width / height

  /// "10x8 at (0, 0)"
  std::string window() const {
    return std::to_string(width) + "x" + std::to_string(height) + " at (" + std::to_string(left) +
           ", " + std::to_string(top) + ")";
  }
};
/// "PART/CHANNEL", or "CHANNEL" for the only part, which has no name.
inline std::string channel_label(const std::string& part, const std::string& channel) {
  return part.empty() ? channel : part + "/" + channel;
}

/// Decodes an EXR and returns its header. Throws Error(kInvalidScene) "PATH: …" for anything but a
/// sound EXR.
struct ExrInfo {
  int width = 0, height = 0;
  ExrDisplay display;
  std::vector<std::string> channels;      ///< "R half", "left/R half", in the file's order
  int levels = 1;                         ///< most MIP levels, or RIP levels of a side
  std::string values;                     ///< colorInteropID; "" if unspecified
  std::optional<ImageMetadata> metadata;  ///< set if all attributes of Roundel are there
};
ExrInfo read_exr_info(const std::string& path);
/// Throws Error(kInvalidScene).
Framebuffer read_pfm(const std::string& path);

}  // namespace roundel
