#include "renderer/compare/run_json.h"

#include <fmt/format.h>

#include <cmath>

#include "renderer/base/text.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

/// Also within its tolerance. The origin tells why pictures differ, so equal ones have none.
bool differs_at_all(const PairResult& result) {
  return result.difference.kind == PictureDifference::Kind::kDifferent ||
         result.difference.kind == PictureDifference::Kind::kOtherShape;
}

Json result_json(const PairResult& result) {
  Json json = {{"name", printable(result.name)}, {"state", state_name(result.state)}};
  if (!result.rule.empty()) json["rule"] = result.rule;
  if (differs_at_all(result) && result.origin != Origin::kUnknown) {
    json["origin"] = origin_name(result.origin);
  }
  if (!result.golden_path.empty()) json["golden"] = result.golden_path;
  if (!result.actual_path.empty()) json["actual"] = result.actual_path;
  if (!result.reasons.empty()) json["reasons"] = result.reasons;
  const bool is_compared = result.state == PairState::kSame || result.state == PairState::kDiffers;
  if (is_compared) json["difference"] = difference_json(result.difference);
  return json;
}

Json number_json(double number) {
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

Json box_json(const PixelBox& box) {
  return {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}};
}

/// Text that may stand between tags and in attributes. XML 1.0 has no way at all to write control
/// characters and U+FFFE, U+FFFF.
std::string xml(const std::string& text) {
  std::string out =
      escaped(printable(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
  for (const std::string_view no_character : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t i = 0; (i = out.find(no_character, i)) != std::string::npos;)
      out.replace(i, no_character.size(), "\xEF\xBF\xBD");
  }
  return out;
}

std::string case_xml(const std::string& suite, const PairResult& result) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(suite), xml(result.name));
  if (result.state == PairState::kSame) {
    return text +
           fmt::format("><system-out>{}</system-out></testcase>\n", xml(result_line(result)));
  }
  const char* const tag = result.state == PairState::kNotCompared ? "error" : "failure";
  const std::string message =
      result.reasons.empty() ? state_name(result.state) : result.reasons.front();
  return text + fmt::format("><{} type=\"{}\" message=\"{}\">{}</{}></testcase>\n", tag,
                            state_name(result.state), xml(message), xml(result_line(result)), tag);
}

}  // namespace

std::string run_json(const ComparisonRun& run) {
  // A picture a line: easy to look at, and to compare with another run's.
  std::string text = "{\"title\":" + dump(run.title) +
                     ",\"counts\":" + dump(counts_json(count_states(run))) + ",\"pictures\":[";
  const char* separator = "\n";
  for (const PairResult& result : run.results) {
    text += separator + dump(result_json(result));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

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
  if (difference.antialiased > 0) json["antialiased"] = difference.antialiased;
  if (difference.ignored > 0)
    json["ignored"] = {{"pixels", difference.ignored}, {"different", difference.ignored_different}};
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

Json difference_json(const PictureDifference& difference, const Verdict& verdict) {
  const Json measured = difference_json(difference);
  Json json = {{"same", verdict.same}, {"kind", measured.at("kind")}, {"reasons", verdict.reasons}};
  json.update(measured);
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

std::string run_junit(const ComparisonRun& run) {
  const RunCounts counts = count_states(run);
  const std::string numbers =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"", counts.all(),
                  counts.differ + counts.fresh + counts.missing, counts.not_compared);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n",
      numbers, xml(run.title), numbers);
  for (const PairResult& result : run.results) text += case_xml(run.title, result);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace roundel
