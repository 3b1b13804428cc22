#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "renderer/image/exr_reader.h"
#include "renderer/image/files.h"

namespace roundel {

/// Functions of the module roundel_exr, which links OpenEXR. They implement the functions of the
/// same names in files.h and exr_reader.h. `row_done` is called for each row, from the top, once it
/// is unused.
namespace openexr {
std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata, ExrStorage storage,
                                     const std::function<void(int row)>& row_done);
ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file, DecodedPart part);
ExrInfo read_exr_info(const std::string& path);
}  // namespace openexr

/// A sound file of a kind that Roundel does not read.
struct UnsupportedExr : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Meaning of the values, in the names of the Color Interop Forum.
inline constexpr const char* kExrValuesAttribute = "colorInteropID";

/// With a small letter, as in other attributes.
inline std::string attribute_name(std::string keyword) {
  keyword[0] = static_cast<char>(keyword[0] - 'A' + 'a');
  return keyword;
}

/// Result of the module's exported function.
struct ExrFunctions {
  decltype(&openexr::encode_exr) encode_exr;
  decltype(&openexr::decode_exr) decode_exr;
  decltype(&openexr::read_exr_info) read_exr_info;
};

/// Checks the attributes in an EXR file's headers before OpenEXR reads them. OpenEXR allocates
/// claimed sizes before it checks the file's length, and ignores the stored size of types it knows,
/// so that it misparses the bytes after them. Throws std::runtime_error for sizes beyond the end of
/// the file and sizes that do not fit the attribute's type, UnsupportedExr for a manifest of ids.
/// Source: the OpenEXR file layout, https://openexr.com/en/latest/OpenEXRFileLayout.html
void check_exr_attributes(std::span<const std::byte> file);

}  // namespace roundel
