#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// True for a file that starts as an EXR does; else it is for read_picture_info().
bool is_exr(const std::string& path);
/// Of a JPEG or WebP, or a PNG.
PngInfo read_picture_info(const std::string& path);
/// What a picture (PNG, EXR, JPEG, WebP) says about itself. Throws Error(kInvalidScene) "PATH: …".
nlohmann::ordered_json picture_json(const std::string& path);
/// What this machine offers; memory in bytes.
nlohmann::ordered_json machine_json(const std::vector<CudaDevice>& devices);

}  // namespace roundel
