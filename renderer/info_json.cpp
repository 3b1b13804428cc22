#include "renderer/info_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "renderer/base/cores.h"
#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/memory.h"
#include "renderer/image/files.h"
#include "renderer/image/photo.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

void add_origin(const std::optional<ImageMetadata>& metadata, Json& json) {
  if (!metadata) return;
  json["software"] = metadata->software;
  json["fingerprint"] = metadata->fingerprint;
  json["seed"] = metadata->seed;
  json["frame"] = metadata->frame;
  json.update(axes_json(*metadata));
}

bool is_window(const Json& json) {
  const auto is_pair = [](const Json& pair) { return pair.is_array() && pair.size() == 2; };
  return is_pair(json) && std::all_of(json.begin(), json.end(), [&](const Json& ends) {
           return is_pair(ends) && ends[0].is_number() && ends[1].is_number();
         });
}

Json picture_json(const std::string& path, const PngInfo& info) {
  Json texts = Json::object();
  for (const auto& [keyword, value] : info.text) texts[keyword] = value;
  Json json = {{"file", path},
               {"width", info.width},
               {"height", info.height},
               {"bit_depth", info.bit_depth},
               {"channels", info.channels},
               {"text", texts}};
  if (!info.color_space.empty()) json["color_space"] = info.color_space;
  if (info.orientation != 1) json["orientation"] = info.orientation;
  add_origin(info.metadata, json);
  return json;
}

Json picture_json(const std::string& path, const ExrInfo& info) {
  Json json = {{"file", path},
               {"width", info.width},
               {"height", info.height},
               {"channels", info.channels},
               {"values", info.values}};
  if (info.levels > 1) json["levels"] = info.levels;
  const ExrDisplay& display = info.display;
  if (!display.chromaticities.empty()) json["chromaticities"] = display.chromaticities;
  if (!display.is_data_window) json["display_window"] = display.window();
  if (display.pixel_aspect != 1) json["pixel_aspect"] = display.pixel_aspect;
  add_origin(info.metadata, json);
  return json;
}

Json picture_json(const std::string& path, const PfmHeader& header) {
  return {{"file", path},
          {"width", header.width},
          {"height", header.height},
          {"bit_depth", 32},
          {"channels", header.channels},
          {"byte_order", header.is_big_endian ? "big" : "little"}};
}

}  // namespace

bool is_exr(const std::string& path) {
  return InputFile(path).read(kExrStart.size()) == kExrStart;
}

std::optional<PfmHeader> read_pfm_info(const std::string& path) {
  const InputFile file(path);
  const std::string start = file.read(kMaxPfmHeaderBytes);
  if (!start.starts_with("PF") && !start.starts_with("Pf")) return std::nullopt;
  return parse_pfm_header(path, std::as_bytes(std::span(start)), file.size());
}

PngInfo read_picture_info(const std::string& path) {
  constexpr std::size_t kStart = 12;
  const std::string start = InputFile(path).read(kStart);
  if (photo_format(std::as_bytes(std::span(start))) != PhotoFormat::kNone)
    return read_photo_info(path);
  if (!start.starts_with("\x89PNG")) throw Error(ExitCode::kInvalidScene, path + ": " + kNoPicture);
  return read_png_info(path);
}

Json picture_json(const std::string& path) {
  if (is_exr(path)) return picture_json(path, read_exr_info(path));
  if (const auto pfm = read_pfm_info(path)) return picture_json(path, *pfm);
  return picture_json(path, read_picture_info(path));
}

Json axes_json(const ImageMetadata& metadata) {
  constexpr int kMaxDepth = 8;  // more than in axes_text()
  Json json = Json::object();
  bool is_too_deep = false;
  const auto stop = [&](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
    if (depth > kMaxDepth) is_too_deep = true;
    return !is_too_deep;
  };
  const Json text = Json::parse(metadata.axes, stop, false);
  if (is_too_deep) return json;
  if (!text.is_object() || !text.contains("window") || !is_window(text["window"])) return json;
  json["window"] = text["window"];
  if (text.contains("rotate") && text["rotate"].is_number()) json["rotate"] = text["rotate"];
  if (text.contains("layers") && text["layers"].is_array()) json["layers"] = text["layers"];
  return json;
}

Json machine_json(const std::vector<CudaDevice>& devices) {
  Json list = Json::array();
  for (const CudaDevice& device : devices) {
    list.push_back({{"number", device.index},
                    {"name", device.name},
                    {"compute_capability", fmt::format("{}.{}", device.compute_capability / 10,
                                                       device.compute_capability % 10)},
                    {"memory", device.total_memory}});
  }
  Json backends = Json::array({"cpu"});
  if (has_cuda_backend()) backends.push_back("cuda");
  return {{"version", ROUNDEL_VERSION},   {"backends", backends},
          {"threads", default_threads()}, {"vectors", cpu_vector_target()},
          {"memory", physical_memory()},  {"devices", list}};
}

}  // namespace roundel
