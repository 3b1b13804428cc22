#include <fmt/format.h>

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

}  // namespace

Verdict apply_tolerance(const PictureDifference& difference, const Tolerance& tolerance) {
  using Kind = PictureDifference::Kind;
  Verdict verdict;
  const auto object = [&verdict](std::string reason) {
    if (reason.empty()) return;
    verdict.same = false;
    verdict.reasons.push_back(std::move(reason));
  };
  if (difference.kind == Kind::kOtherShape)
    object("they are " + difference.shape +
           (difference.can_unify_shapes ? "; --shape-tolerant would compare them" : ""));
  if (difference.kind != Kind::kDifferent) return verdict;
  object(judge_pixels(difference, tolerance));
  object(judge_density(difference, tolerance));
  object(judge_flip(difference, tolerance));
  // No limit allows these.
  if (verdict.same && difference.not_finite > 0) {
    object(fmt::format("{} by NaN or infinity, at most 0 may", differing(difference.not_finite)));
  }
  return verdict;
}

}  // namespace roundel
