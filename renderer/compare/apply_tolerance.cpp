#include <fmt/format.h>

#include <cstdlib>

#include "renderer/base/text.h"
#include "renderer/compare/picture_difference.h"

namespace roundel {
namespace {

std::string differing(std::uint64_t pixels) {
  return counted(pixels, "pixel") + (pixels == 1 ? " differs" : " differ");
}

std::string judge_pixels(const PictureDifference& difference, const Tolerance& tolerance) {
  const bool has_other_limit = tolerance.max_density || tolerance.flip_mean;
  if (!tolerance.max_pixels && has_other_limit) return "";
  const double limit = tolerance.max_pixels.value_or(0);
  const auto pixels_over = static_cast<double>(difference.pixels_over);
  if (!tolerance.pixels_in_percent) {
    if (pixels_over <= limit) return "";
    return fmt::format("{}, at most {} may", differing(difference.pixels_over), limit);
  }
  const double share = 100 * pixels_over / static_cast<double>(difference.compared_pixels());
  if (share <= limit) return "";
  return fmt::format("{}, {:.4g} %, at most {} % may", differing(difference.pixels_over), share,
                     limit);
}

std::string judge_density(const PictureDifference& difference, const Tolerance& tolerance) {
  if (!tolerance.max_density || difference.densest_pixels <= tolerance.max_density->pixels)
    return "";
  const PixelBox& window = difference.densest;
  return fmt::format("{} in the {}x{} pixels at ({}, {}), at most {} may",
                     differing(difference.densest_pixels), window.width, window.height, window.x,
                     window.y, tolerance.max_density->pixels);
}

std::string judge_flip(const PictureDifference& difference, const Tolerance& tolerance) {
  if (!tolerance.flip_mean || !difference.flip || difference.flip->mean <= *tolerance.flip_mean)
    return "";
  return fmt::format("FLIP's mean is {:.6f}, at most {} is allowed", difference.flip->mean,
                     *tolerance.flip_mean);
}

std::string judge_shape(const PictureDifference& difference) {
  std::string text = "they are " + difference.shape;
  if (difference.can_unify_shapes) text += "; --shape-tolerant would compare them";
  if (const auto& overlap = difference.overlap)
    text += fmt::format("; {} of {} shared pixels differ", with_commas(overlap->pixels_over),
                        with_commas(pixel_count(overlap->width, overlap->height)));
  return text;
}

/// Empty without a shift.
std::string shift_text(const PictureDifference& difference) {
  if (!difference.shift) return "";
  const PictureDifference::Shift& shift = *difference.shift;
  std::string text = shift.pixels_over == 0 ? "equal" : "only " + differing(shift.pixels_over);
  text +=
      fmt::format(" after a shift of {} {}, {} {}",
                  counted(static_cast<std::uint64_t>(std::abs(shift.x)), "pixel"),
                  shift.x < 0 ? "left" : "right", std::abs(shift.y), shift.y < 0 ? "up" : "down");
  if (shift.edge > 0)
    text += fmt::format("; {} at the edge {} no partner", counted(shift.edge, "pixel"),
                        shift.edge == 1 ? "has" : "have");
  return text;
}

}  // namespace

Verdict apply_tolerance(const PictureDifference& difference, const Tolerance& tolerance) {
  using Kind = PictureDifference::Kind;
  Verdict verdict;
  const auto object = [&verdict](std::string reason) {
    if (reason.empty()) return;
    verdict.same = false;
    verdict.reasons.push_back(std::move(reason));
  };
  if (difference.kind == Kind::kOtherShape) {
    object(judge_shape(difference));
    object(shift_text(difference));
  }
  if (difference.kind != Kind::kDifferent) return verdict;
  object(judge_pixels(difference, tolerance));
  object(judge_density(difference, tolerance));
  object(judge_flip(difference, tolerance));
  // No limit allows these.
  if (verdict.same && difference.not_finite > 0) {
    object(fmt::format("{} by NaN or infinity, at most 0 may", differing(difference.not_finite)));
  }
  if (!verdict.same) object(shift_text(difference));
  return verdict;
}

}  // namespace roundel
