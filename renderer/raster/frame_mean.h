#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/quantize_levels.h"
#include "renderer/pixels/srgb.h"

/// Motion blur: the mean of a frame's samples, in linear light and binary32, on both backends. A
/// pixel that is the same in all of them stays as it is.
namespace roundel {

struct MeanFormat {
  CircleStyles styles;
  bool has_alpha = false, is_display = true;

  MeanFormat() = default;
  explicit MeanFormat(const ImageSettings& image)
      : styles(image.styles),
        has_alpha(image.alpha),
        is_display(image.blend_space == BlendSpace::kDisplay) {}
};

/// ((c + 0.055)/1.055)^2.4 within 6e-7 for c from 0.04045 to 1. `Channels`: float or a vector.
template <typename Channels>
ROUNDEL_HOST_DEVICE Channels power_of_display(const Channels& c) {
  const Channels x = c - 0.5f;
  Channels power = x * 0.13684697f - 0.089524426f;
  power = power * x - 0.0023418490f;
  power = power * x - 0.020141194f;
  power = power * x + 0.048397433f;
  power = power * x - 0.077033214f;
  power = power * x + 0.28019017f;
  power = power * x + 1.1674378f;
  power = power * x + 0.92558771f;
  return power * x + 0.21404099f;
}

/// srgb_to_linear() within 6e-7.
ROUNDEL_HOST_DEVICE inline float light_of_display(float c) {
  if (c > 1.0f) return srgb_to_linear(c);
  if (!(c > 0.0f)) return 0;
  return c <= 0.04045f ? c * (1 / 12.92f) : power_of_display(c);
}

/// linear_to_srgb() within 2e-7, by straight lines between 512 points an octave.
class DisplayCurve {
 public:
  static constexpr std::size_t kPoints = 9 * 512 + 1;

  /// `table`: make_table()'s.
  ROUNDEL_HOST_DEVICE explicit DisplayCurve(const float* table) : table_(table) {}
  ROUNDEL_HOST_DEVICE float operator()(float c) const {
    if (!(c >= kLinearEnd)) return c > 0.0f ? c * 12.92f : 0.0f;
    if (c >= 1.0f) return linear_to_srgb(c);
    const auto bits = std::bit_cast<std::uint32_t>(c);
    const std::uint32_t index = (bits >> kFractionBits) - kFirst;
    const auto fraction = static_cast<float>(bits & ((1U << kFractionBits) - 1)) * 0x1p-14f;
    return table_[index] + (table_[index + 1] - table_[index]) * fraction;
  }
  static std::array<float, kPoints> make_table() {
    std::array<float, kPoints> table;  // NOLINT: set below
    for (std::uint32_t i = 0; i < kPoints; ++i)
      table[i] = linear_to_srgb(std::bit_cast<float>((kFirst + i) << kFractionBits));
    return table;
  }

 private:
  static constexpr unsigned kFractionBits = 14;
  static constexpr float kLinearEnd = 0x1p-9f;  ///< below the end of the curve's straight part
  static constexpr std::uint32_t kFirst = std::bit_cast<std::uint32_t>(kLinearEnd) >> kFractionBits;
  const float* table_;
};

}  // namespace roundel
