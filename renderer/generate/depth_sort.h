#pragma once
#include "renderer/base/buffer.h"

namespace roundel {

/// Sorts numbers in [0, 2) from large to small (no −0, no NaN).
void sort_descending(Buffer<float>& values);

}  // namespace roundel
