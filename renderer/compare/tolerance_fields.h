#pragma once
#include <cstdint>
#include <vector>

#include "renderer/compare/picture_difference.h"
#include "renderer/format/form.h"

namespace roundel {

/// A manifest's rule except `pictures`. `mask` must be read afterwards.
std::vector<FieldOf<Tolerance>> tolerance_fields();
/// {x, y, width, height}
std::vector<FieldOf<PixelBox>> box_fields(const Form<std::int64_t>& place,
                                          const Form<std::int64_t>& side);

}  // namespace roundel
