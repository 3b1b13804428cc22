#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// What one circle did to a pixel. Colours are in the blend space.
struct PixelStep {
  std::uint64_t circle;  ///< in paint order of the whole frame
  BlendMode mode;
  BlendColor color;  ///< that it shows here
  float share;       ///< of the pixel that it covers; 1 without coverage by area
  float alpha;       ///< that it has here, the share included
  BlendColor transmittance_before, transmittance_after;  ///< by channel
  BlendColor contribution;  ///< what it adds: transmittance_before · alpha · color, or nothing
  BlendColor running;       ///< the pixel's colour so far, with this circle
};

/// How a pixel came about. Colours are in the blend space.
struct PixelExplanation {
  std::vector<PixelStep> steps;  ///< front to back; the first `max_steps`
  std::uint64_t composited = 0;  ///< circles that made the pixel: all steps, also unlisted ones
  std::uint64_t unseen = 0;      ///< circles that cover it below the one where it stopped
  bool has_stopped = false;      ///< its transmittance fell to 2⁻²⁰
  BlendColor transmittance;      ///< what the background is multiplied by
  BlendColor background;         ///< black where the image has alpha
  BlendColor background_contribution;
  Pixel value{};  ///< as in the framebuffer, bit for bit
  /// As in the image of image.bits: RGB, or straight RGBA.
  std::array<std::uint32_t, 4> samples{};
};

/// Walks through pixel `x` of row `row`, counted from the **bottom** as in a framebuffer; both must
/// lie in the image. `circles` are in frame space. Parallel; takes memory for `max_steps` steps and
/// 16 MiB.
PixelExplanation explain_pixel(const Circles& circles, const ImageSettings& image, int x, int row,
                               std::size_t max_steps);

}  // namespace roundel
