#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"

/// Binary32 throughout, in the order written, and integer hashes; simple enough for compilers to
/// vectorise over flakes.
namespace roundel {

struct SnowFlake {
  float x, y, velocity_x, velocity_y;
};

/// A bijection of 32 bits in which every input bit flips every output bit with a probability close
/// to ½: `lowbias32` (Christopher Wellons, hash-prospector, 2018).
ROUNDEL_HOST_DEVICE inline std::uint32_t mix_bits(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  h ^= h >> 16;
  return h;
}

/// A hash as a number in [−1, 1): a multiple of 2⁻²³.
ROUNDEL_HOST_DEVICE inline float signed_unit(std::uint32_t hash) {
  return static_cast<float>(static_cast<std::int32_t>(hash >> 8)) * (1.0f / 8388608.0f) - 1.0f;
}

/// ⌊value⌋ for |value| < 2³¹.
ROUNDEL_HOST_DEVICE inline std::int32_t floor_to_int(float value) {
  const auto truncated = static_cast<std::int32_t>(value);
  return truncated - (static_cast<float>(truncated) > value ? 1 : 0);
}

/// Constant part of a flake's noise, from its index in paint order and its cell in depth, ⌊255z⌋.
ROUNDEL_HOST_DEVICE inline std::uint32_t snow_flake_hash(std::uint32_t index, float z) {
  return mix_bits(mix_bits(index) + static_cast<std::uint32_t>(floor_to_int(255.0f * z)));
}

/// Forces are stronger on nearer flakes.
ROUNDEL_HOST_DEVICE inline float snow_force_scale(float z) {
  const float nearness = 1.0f - z;
  return nearness < .1f ? .1f : nearness > 1.0f ? 1.0f : nearness;
}

/// One step of 1/60 s. `step` counts from 1: step s leads to frame s. The noise, with the sum and
/// product of integers mod 2³², G = 0x9e3779b9 and cell = ⌊10x⌋ + 65536·⌊10y⌋:
///   h0 = mix(flake_hash xor cell), h1 = mix(h0 + G)        n0, n1: the forces
///   h2 = mix(h1 xor mix(step)),    h3 = mix(h2 + G)        n', n'': where a lost flake returns
/// each as signed_unit(h).
ROUNDEL_HOST_DEVICE inline void step_snow(SnowFlake& flake, float radius, float force_scale,
                                          std::uint32_t flake_hash, std::uint32_t step) {
  constexpr float kSeconds = 1.0f / 60.0f;
  constexpr std::uint32_t kGolden = 0x9e3779b9u;

  const std::uint32_t cell = static_cast<std::uint32_t>(floor_to_int(10.0f * flake.x)) +
                             (static_cast<std::uint32_t>(floor_to_int(10.0f * flake.y)) << 16);
  const std::uint32_t h0 = mix_bits(flake_hash ^ cell);
  const std::uint32_t h1 = mix_bits(h0 + kGolden);
  const float n0 = signed_unit(h0);
  const float n1 = signed_unit(h1);

  const float x = flake.x + flake.velocity_x * kSeconds;
  const float y = flake.y + flake.velocity_y * kSeconds;
  const float velocity_x =
      flake.velocity_x + force_scale * (n0 * 7.5f - 2.0f * flake.velocity_x) * kSeconds;
  const float velocity_y =
      flake.velocity_y + force_scale * (-1.8f + n1 * 5.0f - 2.0f * flake.velocity_y) * kSeconds;

  const std::uint32_t h2 = mix_bits(h1 ^ mix_bits(step));
  const std::uint32_t h3 = mix_bits(h2 + kGolden);
  const float back_x = .5f + .5f * signed_unit(h2);
  const float back_velocity_x = 2.0f * signed_unit(h3);

  const bool lost = (y + radius < 0.0f) | (x + radius < 0.0f) | (x - radius > 1.0f);
  flake.x = lost ? back_x : x;
  flake.y = lost ? 1.35f + radius : y;
  flake.velocity_x = lost ? back_velocity_x : velocity_x;
  flake.velocity_y = lost ? 0.0f : velocity_y;
}

}  // namespace roundel
