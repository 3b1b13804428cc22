#pragma once
#include <array>
#include <cstdint>

namespace roundel {

/// Red, green and blue of 256 colours, in millionths of a display value.
using ColorMapTable = std::array<std::array<std::int32_t, 3>, 256>;

extern const ColorMapTable kViridisTable, kMagmaTable, kInfernoTable, kPlasmaTable, kCividisTable,
    kTurboTable;

}  // namespace roundel
