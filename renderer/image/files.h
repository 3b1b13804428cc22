#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "renderer/image/image.h"
#include "renderer/raster/framebuffer.h"

namespace roundel {

/// What a picture file says about its origin: PNG text chunks, EXR attributes. No time stamps, no
/// paths: the same frame is the same file.
struct ImageMetadata {
  std::string software;     ///< "roundel 0.1.0"
  std::string fingerprint;  ///< of the scene
  std::uint32_t seed = 0;
  std::int64_t frame = 0;
};

enum class ImageFormat { kPng, kExr, kPfm };

/// By the path's ending, upper or lower case. Throws Error(kUsage) naming the endings it knows.
ImageFormat format_of(const std::string& path);

/// A whole PNG file (8-bit RGB or RGBA, sRGB chunk, text chunks Software, Fingerprint, Seed,
/// Frame).
std::vector<std::uint8_t> encode_png(const Image& image, const ImageMetadata& metadata);
/// The same file, in twice the picture's memory instead of thrice: gives up the pixels on the way.
std::vector<std::uint8_t> encode_png(Image&& image, const ImageMetadata& metadata);
/// True for pictures over 2 GB, which stb_image_write cannot hold: encode_png and write_png encode
/// them row by row with another encoder.
bool is_streamed_png(int width, int height, int channels);
/// The same file as that of encode_png, written as write_file_atomically does. Pictures over 2 GB
/// go to the file as they are encoded, in little memory of their own.
void write_png(const std::string& path, const Image& image, const ImageMetadata& metadata);
/// 32-bit float RGB, or premultiplied RGBA where `alpha` is set.
std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha,
                                     const ImageMetadata& metadata);
/// The same file, in little more than the framebuffer's memory: gives up its rows on the way.
std::vector<std::uint8_t> encode_exr(Framebuffer&& framebuffer, bool alpha,
                                     const ImageMetadata& metadata);
/// Float RGB, little-endian, rows bottom to top (alpha is dropped).
std::vector<std::uint8_t> encode_pfm(const Framebuffer& framebuffer);
/// The same file, in little more than the framebuffer's memory: gives up its rows on the way.
std::vector<std::uint8_t> encode_pfm(Framebuffer&& framebuffer);

/// Reads the size, channels and metadata of a PNG (every chunk's CRC is checked and the pixels are
/// decoded). Throws Error(kInvalidScene) "PATH: …" on anything that is not a sound PNG.
struct PngInfo {
  int width = 0, height = 0, bit_depth = 0, channels = 0;
  std::vector<std::pair<std::string, std::string>> text;  ///< keyword, value, in file order
  std::optional<ImageMetadata> metadata;                  ///< when all of our text chunks are there
};
PngInfo read_png_info(const std::string& path);

/// Decodes an 8-bit RGB or RGBA PNG as written by encode_png. Throws as read_png_info.
Image read_png(const std::string& path);
/// Decodes an EXR and returns what it says of itself. Throws Error(kInvalidScene) "PATH: …" on
/// anything that is not a sound EXR.
struct ExrInfo {
  int width = 0, height = 0;              ///< of the data window
  std::optional<ImageMetadata> metadata;  ///< when all of our attributes are there
};
ExrInfo read_exr_info(const std::string& path);
/// Throws Error(kInvalidScene).
Framebuffer read_pfm(const std::string& path);

/// What happens where a name is taken by something else than a regular file.
enum class TakenName {
  /// A symbolic link stays, and the file it stands for is replaced, or made where it is missing. A
  /// pipe or a device gets the bytes.
  kFollow,
  /// A symbolic link is replaced by the file; a pipe or a device is an error. For frames, of which
  /// none may be written over another.
  kReplace,
};

/// Writes a temporary file next to `path`, then renames it: after a failure or a crash `path` is as
/// it was before. Throws Error(kOutputRefused) where the directory is missing or not writable,
/// Error(kRuntimeFailure) where writing failed (disk full), naming path and reason. A file that is
/// replaced leaves its mode to the new one and, where the system permits it, owner and group; its
/// other hard links keep the old file.
void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes,
                           TakenName rule = TakenName::kFollow);

/// The file that a symbolic link stands for, whether it is there or not; `path` for all others.
std::string behind_links(const std::string& path);

/// Removes temporary files that a killed process has left in a folder ("" is the working
/// directory). Those that another process, on whatever machine, is writing at this moment stay.
/// Never throws: what cannot be removed stays.
void remove_leftover_files(const std::string& folder) noexcept;

/// Removes the temporary files that write_file_atomically has open at this moment, and new folders
/// that are empty. For the handlers of SIGINT and SIGTERM, before they end the process:
/// async-signal-safe. Threads that want to write another file from then on wait for that end.
void remove_temporary_files() noexcept;

}  // namespace roundel
