#pragma once
#include "renderer/pixels/scalar_lanes.h"
#include "renderer/raster/shaders.h"

namespace roundel::scalar {
#include "renderer/raster/pixel_math.h"  // NOLINT: the functions over ScalarLanes
}
