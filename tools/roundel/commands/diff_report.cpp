#include "tools/roundel/commands/diff_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/compare/difference_json.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;
using Kind = PictureDifference::Kind;

std::string box_text(const PixelBox& box) {
  return fmt::format("{}x{} pixels at ({}, {})", box.width, box.height, box.x, box.y);
}

std::string channels_text(const PictureDifference& difference) {
  std::string text;
  for (const PictureDifference::Channel& channel : difference.channels) {
    if (channel.largest > 0)
      text += fmt::format("{}{} {:.6g}", text.empty() ? "; largest " : ", ", channel.name,
                          channel.largest);
  }
  return text;
}

std::string measures_text(const PictureDifference& difference) {
  std::string text = channels_text(difference);
  text += fmt::format("; RMSE {:.4g}, PSNR {:.2f} dB", difference.rmse, difference.psnr);
  if (difference.pixels_over > 0) text += "; in " + box_text(difference.box);
  if (difference.pixels_over > 1) {
    text +=
        fmt::format(", most ({}) in {}", difference.densest_pixels, box_text(difference.densest));
  }
  if (difference.flip) {
    text +=
        fmt::format("; FLIP mean {:.6f}, weighted median {:.6f}, max {:.6f}", difference.flip->mean,
                    difference.flip->weighted_median, difference.flip->max);
  }
  if (difference.ssim) text += fmt::format("; SSIM {:.6f}", *difference.ssim);
  return text;
}

std::string counts_text(const PictureDifference& difference) {
  const double share = 100 * static_cast<double>(difference.pixels) /
                       (static_cast<double>(difference.width) * difference.height);
  std::string text = fmt::format("{} of {}x{} pixels ({:.3g} %)", difference.pixels,
                                 difference.width, difference.height, share);
  if (difference.pixels_over != difference.pixels) {
    text += fmt::format(", {} by more than --max-delta", difference.pixels_over);
  }
  if (difference.not_finite > 0) {
    text += fmt::format(", {} by NaN or infinity", difference.not_finite);
  }
  return text;
}

}  // namespace

std::string difference_line(const PictureDifference& difference, const Verdict& verdict) {
  if (difference.kind == Kind::kEqualBytes) return "same: equal bytes";
  if (difference.kind == Kind::kEqualPixels) return "same: equal pixels";
  std::string reasons;
  for (const std::string& reason : verdict.reasons)
    reasons += (reasons.empty() ? "" : ", ") + reason;
  if (difference.kind == Kind::kOtherShape) return "differ: " + reasons;
  const std::string line = counts_text(difference) + measures_text(difference);
  return verdict.same ? "same within the limits: " + line
                      : "differ: " + line + " [" + reasons + "]";
}

Json difference_json(const PictureDifference& difference, const Verdict& verdict) {
  const Json measured = difference_json(difference);
  Json json = {{"same", verdict.same}, {"kind", measured.at("kind")}, {"reasons", verdict.reasons}};
  json.update(measured);
  return json;
}

}  // namespace roundel
