#pragma once
#include <span>

namespace roundel::primitives {

/// Compute y = a·x + y, rounded after each operation, for arrays of equal length: on one thread,
/// and on all threads of the calling arena.
void saxpy_serial(float a, std::span<const float> x, std::span<float> y);
void saxpy_parallel(float a, std::span<const float> x, std::span<float> y);

}  // namespace roundel::primitives
