#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/image/pfm.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// True for a file that starts as an EXR does; if it is no PFM either, it is for
/// read_picture_info().
bool is_exr(const std::string& path);
/// What the header of a PFM says; nothing for other files.
std::optional<PfmHeader> read_pfm_info(const std::string& path);
/// Of a JPEG or WebP, or a PNG.
PngInfo read_picture_info(const std::string& path);
/// What a picture (PNG, EXR, PFM, JPEG, WebP) says about itself. Throws Error(kInvalidScene) "PATH:
/// …".
nlohmann::ordered_json picture_json(const std::string& path);
/// Returns the axes in a picture's metadata as description_json() has them: "window", and "layers"
/// with domains or categories. Empty if the text is missing or was not written by Roundel.
nlohmann::ordered_json axes_json(const ImageMetadata& metadata);
/// What this machine offers; memory in bytes.
nlohmann::ordered_json machine_json(const std::vector<CudaDevice>& devices);

}  // namespace roundel
