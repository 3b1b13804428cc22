#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/base/host_device.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Geometry, generated in scene space (the unit square, x right, y up) and moved by the view to
/// frame space (the image is width/height wide and 1 high, y up).
struct alignas(16) Shape {
  float x, y;  ///< centre
  /// Depth in [0, 1] for snow's alpha; in a ring its inner radius.
  float z;
  float radius;  ///< > 0
};

/// The signs of `alpha` and `blue` give the shader: `alpha` is in [0, 1] for `solid`, minus the
/// alpha at the centre for `soft` and `snow`; `blue` is negative for `soft`. With CircleStyles the
/// signs of red and green give the blend mode, and the sign of a solid circle's blue marks a ring.
/// The functions below read and write them.
struct alignas(16) Paint {
  float red, green, blue;  ///< in the blend space; absolute values may exceed 1
  float alpha;
};
static_assert(sizeof(Shape) == 16 && sizeof(Paint) == 16, "both backends move them as 16 bytes");

inline ROUNDEL_HOST_DEVICE bool has_sign(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_int(value) < 0;
#else
  return __builtin_signbit(value) != 0;
#endif
}

/// True for soft and snow, whose alpha falls off from the centre.
inline ROUNDEL_HOST_DEVICE bool has_falloff(const Paint& paint) {
  return has_sign(paint.alpha);
}
/// Soft circles have a falloff and their own colour; snow has the shader's colours.
inline ROUNDEL_HOST_DEVICE bool is_soft(const Paint& paint) {
  return has_falloff(paint) && has_sign(paint.blue);
}
inline ROUNDEL_HOST_DEVICE bool is_snow(const Paint& paint) {
  return has_falloff(paint) && !has_sign(paint.blue);
}
/// Alpha at the centre of a circle with falloff.
inline ROUNDEL_HOST_DEVICE float peak_alpha(const Paint& paint) {
  return -paint.alpha;
}
/// Makes a solid paint soft.
inline ROUNDEL_HOST_DEVICE Paint soft_paint(const Paint& solid) {
  return {solid.red, solid.green, -std::fabs(solid.blue), -std::fabs(solid.alpha)};
}

/// Reads the signs; only in frames with styles.
inline ROUNDEL_HOST_DEVICE BlendMode blend_mode(const Paint& paint) {
  return static_cast<BlendMode>((has_sign(paint.red) ? 1 : 0) + (has_sign(paint.green) ? 2 : 0));
}
inline ROUNDEL_HOST_DEVICE bool is_ring(const Paint& paint) {
  return has_sign(paint.blue) && !has_falloff(paint);
}
/// 0 without a hole.
inline ROUNDEL_HOST_DEVICE float inner_radius(const Shape& shape, const Paint& paint) {
  return is_ring(paint) ? shape.z : 0.0f;
}
/// Square of the hole's radius; −1 without a hole.
inline ROUNDEL_HOST_DEVICE float hole_square(const Shape& shape, const Paint& paint) {
  const float inner = inner_radius(shape, paint);
  return inner > 0 ? inner * inner : -1.0f;
}

/// Drops the signs.
inline ROUNDEL_HOST_DEVICE BlendColor paint_color(const Paint& paint) {
  return {std::fabs(paint.red), std::fabs(paint.green), std::fabs(paint.blue)};
}
/// Sets the signs; the shader stays.
inline ROUNDEL_HOST_DEVICE Paint with_style(const Paint& paint, BlendMode mode, bool is_ring) {
  const auto number = static_cast<unsigned>(mode);
  return {std::copysign(paint.red, (number & 1) != 0 ? -1.0f : 1.0f),
          std::copysign(paint.green, (number & 2) != 0 ? -1.0f : 1.0f),
          std::copysign(paint.blue, is_ring || is_soft(paint) ? -1.0f : 1.0f), paint.alpha};
}

inline constexpr std::size_t kTaskCircles = 16384;

/// Circles in paint order: circle i + 1 covers circle i.
struct Circles {
  Buffer<Shape> shapes;  ///< [count]
  Buffer<Paint> paints;  ///< [count]
  /// Sets with the same nonzero number have the same paints, bit for bit. Set it to 0 after
  /// changing paints.
  std::uint64_t paints_generation = 0;

  std::size_t count() const { return shapes.size(); }
};

enum class CircleUse : std::uint8_t {
  kDraw,       ///< frame space, parts if a layer has a stroke; depths that painting ignores are
               ///< unspecified
  kExplain,    ///< like kDraw with all depths
  kList,       ///< scene space, binary32, all depths
  kListDrawn,  ///< frame space, without parts, all depths
};

}  // namespace roundel
