#include "renderer/compare/difference_json.h"

#include <cmath>

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

Json number_json(double number) {
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

Json box_json(const PixelBox& box) {
  return {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}};
}

}  // namespace

const char* origin_name(Origin origin) {
  constexpr const char* kNames[] = {"", "renderer changed", "scene changed", "other frame"};
  return kNames[static_cast<int>(origin)];
}

Json difference_json(const PictureDifference& difference) {
  using Kind = PictureDifference::Kind;
  const char* const kKinds[] = {"equal_bytes", "equal_pixels", "different", "other_shape"};
  Json json = {{"kind", kKinds[static_cast<int>(difference.kind)]}};
  if (difference.kind == Kind::kOtherShape) return json["shape"] = difference.shape, json;
  if (difference.flip) {
    json["flip"] = {{"mean", difference.flip->mean},
                    {"weighted_median", difference.flip->weighted_median},
                    {"min", difference.flip->min},
                    {"max", difference.flip->max}};
  }
  if (difference.ssim) json["ssim"] = *difference.ssim;
  if (difference.kind == Kind::kEqualBytes) return json;
  json["width"] = difference.width;
  json["height"] = difference.height;
  json["pixels"] = difference.pixels;
  json["pixels_over"] = difference.pixels_over;
  json["not_finite"] = difference.not_finite;
  for (const PictureDifference::Channel& channel : difference.channels)
    json["channels"][channel.name] = {{"largest", channel.largest}, {"mean", channel.mean}};
  json["rmse"] = difference.rmse;
  json["psnr_db"] = number_json(difference.psnr);
  if (difference.pixels_over == 0) return json;
  json["box"] = box_json(difference.box);
  json["densest"] = box_json(difference.densest);
  json["densest"]["pixels"] = difference.densest_pixels;
  return json;
}

Json counts_json(const RunCounts& counts) {
  return {{"same", counts.same},
          {"differ", counts.differ},
          {"new", counts.fresh},
          {"missing", counts.missing},
          {"not_compared", counts.not_compared}};
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace roundel
