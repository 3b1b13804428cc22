#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/image/pfm.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// True if the file begins with EXR's magic number.
bool is_exr(const std::string& path);
/// Returns the header of a PFM; nothing for other files.
std::optional<PfmHeader> read_pfm_info(const std::string& path);
PngInfo read_picture_info(const std::string& path);
/// Returns the metadata of a picture (PNG, EXR, PFM, JPEG, WebP). Throws Error(kInvalidScene)
/// "PATH: …".
nlohmann::ordered_json picture_json(const std::string& path);
/// Returns the axes in a picture's metadata as in description_json(): "window", and "layers" with
/// domains or categories. Empty without Roundel's text.
nlohmann::ordered_json axes_json(const ImageMetadata& metadata);
/// Describes this build and machine; memory in bytes.
nlohmann::ordered_json machine_json(const std::vector<CudaDevice>& devices);

}  // namespace roundel
