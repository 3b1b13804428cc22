#pragma once
#include <array>
#include <cstdint>

namespace roundel {

/// Colour map magma (Nathaniel Smith and Stéfan van der Walt, 2015), from nearly black over purple
/// and orange to pale yellow, as 8-bit display values for t in [0, 1], clamped; NaN is 0.
/// Polynomials of degree 6 by Matt Zucker (2018), within 5 levels of the published table.
std::array<std::uint8_t, 3> magma(double t);

}  // namespace roundel
