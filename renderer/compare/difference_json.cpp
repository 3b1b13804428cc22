#include "renderer/compare/difference_json.h"

#include <cmath>

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(PictureDifference::Kind kind) {
  switch (kind) {
    case PictureDifference::Kind::kEqualBytes:
      return "equal bytes";
    case PictureDifference::Kind::kEqualPixels:
      return "equal pixels";
    case PictureDifference::Kind::kDifferent:
      return "different";
    case PictureDifference::Kind::kOtherShape:
      break;
  }
  return "other shape";
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json box_json(const PixelBox& box) {
  return {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}};
}

}  // namespace

const char* origin_name(Origin origin) {
  switch (origin) {
    case Origin::kSameScene:
      return "renderer changed";
    case Origin::kSceneChanged:
      return "scene changed";
    case Origin::kOtherFrame:
      return "other frame";
    case Origin::kUnknown:
      break;
  }
  return "";
}

Json difference_json(const PictureDifference& difference) {
  Json json = {{"kind", kind_name(difference.kind)}};
  if (difference.kind == PictureDifference::Kind::kOtherShape) {
    json["shape"] = difference.shape;
    return json;
  }
  json["width"] = difference.width;
  json["height"] = difference.height;
  json["channels"] = Json::array();
  for (const PictureDifference::Channel& channel : difference.channels) {
    json["channels"].push_back({{"name", channel.name},
                                {"largest", finite_or_null(channel.largest)},
                                {"mean", finite_or_null(channel.mean)}});
  }
  json["rmse"] = finite_or_null(difference.rmse);
  json["psnr"] = finite_or_null(difference.psnr);
  json["pixels"] = difference.pixels;
  json["pixels_over"] = difference.pixels_over;
  json["box"] = box_json(difference.box);
  json["densest"] = box_json(difference.densest);
  json["densest"]["pixels"] = difference.densest_pixels;
  if (difference.not_finite > 0) json["not_finite"] = difference.not_finite;
  if (difference.flip) {
    json["flip"] = {{"mean", difference.flip->mean},
                    {"weighted_median", difference.flip->weighted_median},
                    {"min", difference.flip->min},
                    {"max", difference.flip->max}};
  }
  if (difference.ssim) json["ssim"] = finite_or_null(*difference.ssim);
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
