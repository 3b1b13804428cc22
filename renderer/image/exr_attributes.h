#pragma once

#include <cstddef>
#include <span>

namespace roundel {

/// Goes through the attributes in an EXR file's headers before OpenEXR does. OpenEXR allocates the
/// memory that a size claims before it checks the file's length. It ignores the stored size of
/// types it knows and so misparses what follows. This check makes sizes and types agree first.
/// Throws std::runtime_error for sizes beyond the end of the file and for those that do not fit the
/// attribute's type.
/// Source: the OpenEXR file layout, https://openexr.com/en/latest/OpenEXRFileLayout.html
void check_exr_attributes(std::span<const std::byte> file);

}  // namespace roundel
