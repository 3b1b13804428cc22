#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/base/host_device.h"

namespace roundel {

/// Where a circle lies. In scene space (the unit square, x right, y up) as generated; in frame
/// space (the image is width/height wide and 1 high, y up) once the view has been applied.
struct alignas(16) Shape {
  float x, y;    ///< centre
  float z;       ///< depth in [0, 1]; only the snow shader's alpha depends on it
  float radius;  ///< > 0
};

/// How a circle looks. `alpha` also tells the shader: in [0, 1] for `solid`; for `snow` it is minus
/// the alpha at the circle's centre (its sign bit is set), and the colour is the shader's own.
struct alignas(16) Paint {
  float red, green, blue;  ///< in the blend space, >= 0, may exceed 1
  float alpha;
};
static_assert(sizeof(Shape) == 16 && sizeof(Paint) == 16, "both backends move them as 16 bytes");

/// Circles that are worth a task of their own.
inline constexpr std::size_t kCirclesOfTask = 16384;

/// Circles in paint order: circle i + 1 is painted over circle i.
struct Circles {
  Buffer<Shape> shapes;  ///< [count]
  Buffer<Paint> paints;  ///< [count]
  /// Sets with the same number other than 0 have the same paints, bit for bit: those of a scene's
  /// frames. To be set to 0 by whoever changes paints.
  std::uint64_t paints_generation = 0;

  std::size_t count() const { return shapes.size(); }
};

}  // namespace roundel
