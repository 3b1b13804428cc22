#pragma once

#include <cstddef>
#include <span>

namespace roundel {

/// Goes through the attributes in an EXR file's headers before OpenEXR does: it takes the memory
/// that a size claims before it looks whether the file has so many bytes, and it reads the types
/// that it knows without looking at their size, to meet whatever stands behind as the next
/// attribute. After this check it meets the sizes that were checked. Throws std::runtime_error for
/// sizes beyond the end of the file and for those that do not fit the attribute's type.
/// Source: the OpenEXR file layout, https://openexr.com/en/latest/OpenEXRFileLayout.html
void check_exr_attributes(std::span<const std::byte> file);

}  // namespace roundel
