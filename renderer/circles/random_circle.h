#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/normal.h"
#include "renderer/circles/philox.h"

namespace roundel {

enum class DrawKind : std::uint32_t { kConstant, kUniform, kNormal };

/// Draws `base`, base + scale·u (at most `largest`) or base + scale·normal.
struct DrawLaw {
  DrawKind kind = DrawKind::kConstant;
  float base = 0, scale = 0, largest = 0;
};

/// A place uniform over a disc or a ring: squared distances are uniform.
struct RingLaw {
  float x = 0, y = 0, radius = 0;
  float inner = 0;  ///< share of the disc inside the ring
};

/// The laws of a random layer, ready to draw from, and its key. Circle k draws its words from
/// philox({k mod 2³², k / 2³², block, 0}, {seed, layer}). Every property has its own words, so
/// that no law shifts another's draws:
///
///   block  words  property
///   0      0, 1   place: x and y, a uniform number each, or a pair of normal ones; for a disc or
///                 ring distance and angle; for a polyline along and across (a cloud: a pair); for
///                 a grid jitter
///   0      2, 3   radius
///   1      0 1 2  red, green, blue, uniform; for a choice or gradient only the first word
///   2      0, 1   alpha
///   2      2, 3   depth
///
/// A word w is the uniform number u = (w >> 8)·2⁻²⁴. A single uniform number uses the first of its
/// words; a single normal number is the first of the pair from its two words (normal_pair).
struct RandomLaws {
  std::uint32_t seed = 0, layer = 0;
  DrawLaw x, y;  ///< both of one kind; for draw_place() alone, like `ring`
  RingLaw ring;  ///< replaces x and y if it has a radius
  DrawLaw radius;
  DrawLaw red, green, blue;  ///< for draw_color() alone
  DrawLaw alpha, depth;
};

/// A circle with this radius and alpha 0 covers nothing.
inline constexpr float kEmptyRadius = 1.17549435e-38f;

ROUNDEL_HOST_DEVICE inline float clamp_to_unit(float value) {
  return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

ROUNDEL_HOST_DEVICE inline float uniform_of(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * (1.0f / 16777216.0f);
}

/// base + scale·u can round up to the excluded upper bound; `largest` is the number below it.
ROUNDEL_HOST_DEVICE inline float draw_uniform(const DrawLaw& law, std::uint32_t word) {
  const float value = law.base + law.scale * uniform_of(word);
  return value < law.largest ? value : law.largest;
}

ROUNDEL_HOST_DEVICE inline float draw_number(const DrawLaw& law, std::uint32_t word0,
                                             std::uint32_t word1) {
  if (law.kind == DrawKind::kUniform) return draw_uniform(law, word0);
  if (law.kind == DrawKind::kConstant) return law.base;
  return law.base + law.scale * normal_pair(uniform_of(word0), uniform_of(word1)).first;
}

/// Block of circle k's words.
ROUNDEL_HOST_DEVICE inline PhiloxBlock draw_block(const RandomLaws& laws, std::uint64_t k,
                                                  std::uint32_t block) {
  return philox({{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32), block, 0}},
                laws.seed, laws.layer);
}

/// Draws by the laws of x and y, or of a ring. Binary32.
ROUNDEL_HOST_DEVICE inline void draw_place(const RandomLaws& laws, const PhiloxBlock& words,
                                           Shape& shape) {
  if (laws.ring.radius > 0) {
    const RingLaw& ring = laws.ring;
    const float u = uniform_of(words.words[0]);
    const float distance = ring.radius * std::sqrt(ring.inner + (1.0f - ring.inner) * u);
    const SinCos angle = portable_sincos_turns(uniform_of(words.words[1]));
    shape.x = ring.x + distance * angle.cos;
    shape.y = ring.y + distance * angle.sin;
  } else if (laws.x.kind == DrawKind::kNormal) {
    const NormalPair normal = normal_pair(uniform_of(words.words[0]), uniform_of(words.words[1]));
    shape.x = laws.x.base + laws.x.scale * normal.first;
    shape.y = laws.y.base + laws.y.scale * normal.second;
  } else {
    shape.x = draw_number(laws.x, words.words[0], 0);
    shape.y = draw_number(laws.y, words.words[1], 0);
  }
}

ROUNDEL_HOST_DEVICE inline void draw_color(const RandomLaws& laws, std::uint64_t k, Paint& paint) {
  paint.red = laws.red.base;
  paint.green = laws.green.base;
  paint.blue = laws.blue.base;
  if (laws.red.kind == DrawKind::kUniform) {
    const PhiloxBlock color = draw_block(laws, k, 1);
    paint.red = draw_uniform(laws.red, color.words[0]);
    paint.green = draw_uniform(laws.green, color.words[1]);
    paint.blue = draw_uniform(laws.blue, color.words[2]);
  }
}

/// Circle k of a random layer, from the arguments alone. `place(words, shape)` draws its centre,
/// `color(paint)` its colour.
template <typename Place, typename Color>
ROUNDEL_HOST_DEVICE void random_circle(const RandomLaws& laws, std::uint64_t k, Shape& shape,
                                       Paint& paint, const Place& place, const Color& color) {
  const PhiloxBlock words = draw_block(laws, k, 0);
  place(words, shape);
  shape.radius = draw_number(laws.radius, words.words[2], words.words[3]);
  color(paint);

  PhiloxBlock rest{};
  if (laws.alpha.kind != DrawKind::kConstant || laws.depth.kind != DrawKind::kConstant)
    rest = draw_block(laws, k, 2);
  paint.alpha = clamp_to_unit(draw_number(laws.alpha, rest.words[0], rest.words[1]));
  shape.z = clamp_to_unit(draw_number(laws.depth, rest.words[2], rest.words[3]));

  if (!(shape.radius > kEmptyRadius)) {  // a negative radius would cover as much as a positive one
    shape.radius = kEmptyRadius;
    paint.alpha = 0.0f;
  }
}

/// Draws by RandomLaws alone.
ROUNDEL_HOST_DEVICE inline void random_circle(const RandomLaws& laws, std::uint64_t k, Shape& shape,
                                              Paint& paint) {
  random_circle(
      laws, k, shape, paint,
      [&laws](const PhiloxBlock& words, Shape& at) { draw_place(laws, words, at); },
      [&laws, k](Paint& drawn) { draw_color(laws, k, drawn); });
}

}  // namespace roundel
