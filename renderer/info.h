#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "renderer/raster/rasterizer.h"

namespace roundel {

/// True for a file that starts as an EXR does; else it is to be a PNG.
bool is_exr(const std::string& path);
/// What a picture (PNG, EXR) says about itself. Throws Error(kInvalidScene) "PATH: …".
nlohmann::ordered_json picture_json(const std::string& path);
/// What this machine offers; memory in bytes.
nlohmann::ordered_json machine_json(const std::vector<CudaDevice>& devices);

}  // namespace roundel
