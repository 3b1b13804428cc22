#pragma once
#include <span>

namespace roundel::primitives {

/// y = a·x + y, rounded after each operation. Both have the same length. On one thread, and on all
/// threads of the calling arena.
void saxpy_serial(float a, std::span<const float> x, std::span<float> y);
void saxpy_parallel(float a, std::span<const float> x, std::span<float> y);

}  // namespace roundel::primitives
