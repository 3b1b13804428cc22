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

/// In the module roundel_exr, which brings OpenEXR: what the functions of the same names in files.h
/// and exr_reader.h do. `row_done` is called behind each row, from the top, when it is not needed
/// any more.
namespace openexr {
std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata,
                                     const std::function<void(int row)>& row_done);
ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file, DecodedPart part);
ExrInfo read_exr_info(const std::string& path);
}  // namespace openexr

/// A sound file of a kind that Roundel does not read.
struct UnsupportedExr : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What its values are, by the Color Interop Forum's names.
inline constexpr const char* kExrValuesAttribute = "colorInteropID";

/// With a small letter, as other attributes have it.
inline std::string attribute_name(std::string keyword) {
  keyword[0] = static_cast<char>(keyword[0] - 'A' + 'a');
  return keyword;
}

/// Those functions, as the module's only own function returns them.
struct ExrFunctions {
  decltype(&openexr::encode_exr) encode_exr;
  decltype(&openexr::decode_exr) decode_exr;
  decltype(&openexr::read_exr_info) read_exr_info;
};

/// Goes through the attributes in an EXR file's headers before OpenEXR does. OpenEXR allocates the
/// memory that a size claims before it checks the file's length. It ignores the stored size of
/// types it knows and so misparses what follows. This check makes sizes and types agree first.
/// Throws std::runtime_error for sizes beyond the end of the file and for those that do not fit the
/// attribute's type, UnsupportedExr for a manifest of ids.
/// Source: the OpenEXR file layout, https://openexr.com/en/latest/OpenEXRFileLayout.html
void check_exr_attributes(std::span<const std::byte> file);

}  // namespace roundel
