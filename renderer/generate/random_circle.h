#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/generate/circle.h"
#include "renderer/generate/normal.h"
#include "renderer/generate/philox.h"

namespace roundel {

enum class DrawKind : std::uint32_t { kConstant, kUniform, kNormal };

/// One number's law, ready to draw from: `base`, base + scale·u (at most `largest`) or
/// base + scale·normal.
struct DrawLaw {
  DrawKind kind = DrawKind::kConstant;
  float base = 0, scale = 0, largest = 0;
};

/// The laws of a random layer, ready to draw from, and its key. Circle k draws its words from
/// philox({k mod 2³², k / 2³², block, 0}, {seed, layer}). Every property has words of its own, so
/// that no law shifts another one's draws:
///
///   block  words  property
///   0      0, 1   x, y: a uniform number each, or one pair of normal ones
///   0      2, 3   radius
///   1      0 1 2  red, green, blue, uniform
///   2      0, 1   alpha
///   2      2, 3   depth
///
/// A word w is the uniform number u = (w >> 8)·2⁻²⁴. A single uniform number takes the first of its
/// words; a single normal number is the first of the pair that its two words make (normal_pair).
struct RandomLaws {
  std::uint32_t seed = 0, layer = 0;
  DrawLaw x, y;  ///< of equal kind
  DrawLaw radius, red, green, blue, alpha, depth;
};

/// A circle with this radius and alpha 0 covers nothing.
inline constexpr float kNothingRadius = 1.17549435e-38f;

ROUNDEL_HOST_DEVICE inline float clamp_to_unit(float value) {
  return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

ROUNDEL_HOST_DEVICE inline float uniform_of(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * (1.0f / 16777216.0f);
}

/// base + scale·u can round up to the law's excluded upper bound; `largest` is the number below it.
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

/// Circle k of a random layer; depends on nothing but its arguments.
ROUNDEL_HOST_DEVICE inline void random_circle(const RandomLaws& laws, std::uint64_t k, Shape& shape,
                                              Paint& paint) {
  const std::uint32_t low = static_cast<std::uint32_t>(k);
  const std::uint32_t high = static_cast<std::uint32_t>(k >> 32);

  const PhiloxBlock place = philox({{low, high, 0, 0}}, laws.seed, laws.layer);
  if (laws.x.kind == DrawKind::kNormal) {
    const NormalPair normal = normal_pair(uniform_of(place.words[0]), uniform_of(place.words[1]));
    shape.x = laws.x.base + laws.x.scale * normal.first;
    shape.y = laws.y.base + laws.y.scale * normal.second;
  } else {
    shape.x = draw_number(laws.x, place.words[0], 0);
    shape.y = draw_number(laws.y, place.words[1], 0);
  }
  shape.radius = draw_number(laws.radius, place.words[2], place.words[3]);

  paint.red = laws.red.base;
  paint.green = laws.green.base;
  paint.blue = laws.blue.base;
  if (laws.red.kind == DrawKind::kUniform) {
    const PhiloxBlock color = philox({{low, high, 1, 0}}, laws.seed, laws.layer);
    paint.red = draw_uniform(laws.red, color.words[0]);
    paint.green = draw_uniform(laws.green, color.words[1]);
    paint.blue = draw_uniform(laws.blue, color.words[2]);
  }

  PhiloxBlock rest{};
  if (laws.alpha.kind != DrawKind::kConstant || laws.depth.kind != DrawKind::kConstant)
    rest = philox({{low, high, 2, 0}}, laws.seed, laws.layer);
  paint.alpha = clamp_to_unit(draw_number(laws.alpha, rest.words[0], rest.words[1]));
  shape.z = clamp_to_unit(draw_number(laws.depth, rest.words[2], rest.words[3]));

  if (!(shape.radius >
        kNothingRadius)) {  // a negative radius would cover as much as a positive one
    shape.radius = kNothingRadius;
    paint.alpha = 0.0f;
  }
}

}  // namespace roundel
