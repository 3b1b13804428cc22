#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Effect of one circle on a pixel. Colours are in the blend space.
struct PixelStep {
  std::uint64_t circle;  ///< in paint order of the whole frame
  BlendMode mode;
  BlendColor color;  ///< at this pixel
  float share;       ///< covered share of the pixel; 1 without coverage by area
  float alpha;       ///< at this pixel, times share
  BlendColor transmittance_before, transmittance_after;  ///< by channel
  BlendColor contribution;  ///< added light: transmittance_before · alpha · color, or nothing
  BlendColor running;       ///< the pixel's colour after this circle
};

/// A pixel's value, step by step. Colours are in the blend space.
struct PixelExplanation {
  std::vector<PixelStep> steps;  ///< front to back; the first `max_steps`
  std::uint64_t composited = 0;  ///< all that made the pixel, also unlisted ones
  std::uint64_t unseen = 0;      ///< all that cover it after it stopped
  bool has_stopped = false;      ///< its transmittance fell to 2⁻²⁰
  BlendColor transmittance;      ///< factor of the background
  BlendColor background;         ///< black if the image has alpha
  BlendColor background_contribution;
  Pixel value{};  ///< framebuffer value, bit for bit
  /// Samples at image.bits: RGB, or straight RGBA.
  std::array<std::uint32_t, 4> samples{};
};

/// Explains pixel `x` of row `row`, counted from the **bottom** as in a framebuffer. Both must lie
/// in the image, and `circles` in frame space. Parallel; takes memory for `max_steps` plus 16 MiB.
PixelExplanation explain_pixel(const Circles& circles, const ImageSettings& image, int x, int row,
                               std::size_t max_steps);

}  // namespace roundel
