#include "renderer/compare/run_json.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/picture.h"
#include "renderer/format/json_text.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json number_json(double number) {
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

Json box_json(const PixelBox& box) {
  return {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}};
}

/// True also within the tolerance. Only differing pictures need an origin.
bool differs_at_all(const PairResult& result) {
  return result.difference.kind == PictureDifference::Kind::kDifferent ||
         result.difference.kind == PictureDifference::Kind::kOtherShape;
}

class RelativePaths {
 public:
  explicit RelativePaths(const std::string& file) {
    std::error_code error;
    const fs::path folder = file == "-" ? fs::path() : fs::path(file).parent_path();
    base_ = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder, error), error);
  }
  std::string operator()(const std::string& path) const {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error).lexically_normal();
    return without_slash(error ? path : absolute.lexically_relative(base_).string());
  }

 private:
  fs::path base_;
};

/// JSON needs valid UTF-8.
std::string utf8(const std::string& text) {
  return is_utf8(text) ? text : printable(text);
}

Json channel_json(const PictureDifference::Channel& channel) {
  Json json = {{"largest", number_json(channel.largest)}, {"mean", number_json(channel.mean)}};
  if (channel.pixels == 0) return json;
  json["pixels"] = channel.pixels;
  json["x"] = channel.x, json["y"] = channel.y;
  if (channel.level_x + channel.level_y > 0) json["level"] = {channel.level_x, channel.level_y};
  return json;
}

/// With the keys of a manifest's rule.
Json tolerance_json(const Tolerance& tolerance) {
  Json json = Json::object();
  if (tolerance.max_delta > 0) json["max-delta"] = tolerance.max_delta;
  for (const Tolerance::ChannelDelta& limit : tolerance.channel_deltas)
    json["channel-delta"][utf8(limit.pattern)] = limit.max_delta;
  if (tolerance.max_pixels && tolerance.pixels_in_percent)
    json["max-pixels"] = {{"percent", *tolerance.max_pixels}};
  else if (tolerance.max_pixels)
    json["max-pixels"] = static_cast<std::uint64_t>(*tolerance.max_pixels);
  if (const auto& density = tolerance.max_density)
    json["max-density"] = {
        {"pixels", density->pixels}, {"width", density->width}, {"height", density->height}};
  if (tolerance.flip_mean) json["flip-mean"] = *tolerance.flip_mean;
  for (const PixelBox& box : tolerance.ignore) json["ignore"].push_back(box_json(box));
  if (tolerance.ignores_antialiasing) json["ignore-antialiasing"] = true;
  if (tolerance.is_shape_tolerant) json["shape-tolerant"] = true;
  return json;
}

Json result_json(const PairResult& result, const RelativePaths& relative) {
  Json json = statement_json(result);
  if (const auto& mask = result.tolerance.mask) json["tolerance"]["mask"] = relative(mask->path);
  if (!result.scene_path.empty()) json["scene"] = relative(result.scene_path);
  if (!result.golden_path.empty()) json["golden"] = relative(result.golden_path);
  if (!result.actual_path.empty()) json["actual"] = relative(result.actual_path);
  if (!result.difference_path.empty()) json["image"] = relative(result.difference_path);
  if (result.seconds > 0) json["seconds"] = std::round(result.seconds * 1e6) / 1e6;
  return json;
}

/// Escapes text for tags and attributes.
std::string xml(const std::string& text) {
  return escaped(printable(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

/// True if the path cannot end an attachment's name.
bool is_attachable(const std::string& path) {
  if (path.empty() || path.find("]]") != std::string::npos) return false;
  return !catch_error([&] { read_picture_header(InputFile(path)); });
}

/// One per line, as Jenkins and GitLab read them; GitLab shows the first.
std::string attachments_xml(const PairResult& result) {
  std::string text;
  for (const std::string& path : {result.difference_path, result.actual_path, result.golden_path})
    if (is_attachable(path)) text += fmt::format("[[ATTACHMENT|{}]]\n", xml(path));
  return text.empty() ? "" : "<system-out>\n" + text + "</system-out>";
}

/// Writes a line for <system-out> that names no attachment.
std::string output_xml(const std::string& line) {
  std::string text = xml(line);
  for (std::size_t at = 0; (at = text.find("[[", at)) != std::string::npos;)
    text.replace(at, 2, "[ [");
  return text;
}

std::string case_xml(const std::string& suite, const PairResult& result) {
  const std::string& file = result.scene_path.empty() ? result.golden_path : result.scene_path;
  std::string text = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\"{} time=\"{:.6f}\"", xml(suite), xml(result.name),
      file.empty() ? "" : fmt::format(" file=\"{}\"", xml(file)), result.seconds);
  if (result.state == PairState::kSame) {
    return text + fmt::format("><system-out>{}</system-out></testcase>\n",
                              output_xml(result_line(result)));
  }
  const char* const tag = result.state == PairState::kNotCompared ? "error" : "failure";
  const std::string message =
      result.reasons.empty() ? state_name(result.state) : result.reasons.front();
  std::string lines = xml(result_line(result));
  for (const std::string& line : result.explanation) lines += "\n" + xml(line);
  return text + fmt::format("><{} type=\"{}\" message=\"{}\">{}</{}>{}</testcase>\n", tag,
                            state_name(result.state), xml(message), lines, tag,
                            attachments_xml(result));
}

}  // namespace

std::string without_slash(std::string folder) {
  if (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

Json statement_json(const PairResult& result) {
  Json json = {{"name", utf8(result.name)}, {"state", state_name(result.state)}};
  if (!result.reasons.empty()) json["reasons"] = result.reasons;
  if (differs_at_all(result) && result.origin != Origin::kUnknown) {
    json["origin"] = origin_name(result.origin);
  }
  if (!result.explanation.empty()) json["explanation"] = result.explanation;
  if (result.scene_line > 0) json["line"] = result.scene_line;
  if (!result.rule.empty()) json["rule"] = result.rule;
  if (Json tolerance = tolerance_json(result.tolerance); !tolerance.empty())
    json["tolerance"] = std::move(tolerance);
  const bool is_compared = result.state == PairState::kSame || result.state == PairState::kDiffers;
  if (is_compared) json["difference"] = difference_json(result.difference);
  if (is_compared && result.difference.flip) json["ppd"] = result.pixels_per_degree;
  return json;
}

std::string run_json(const ComparisonRun& run, const std::string& path) {
  const RelativePaths relative(path);
  Json json = {{"version", 1}, {"title", run.title}, {"counts", counts_json(count_states(run))}};
  if (run.shares > 0) json["shard"] = {{"share", run.share}, {"of", run.shares}};
  if (run.ignored_files > 0) json["ignored_files"] = run.ignored_files;
  if (!run.golden_folder.empty()) json["goldens"] = relative(run.golden_folder);
  if (!run.output_folder.empty()) json["output"] = relative(run.output_folder);
  // A picture per line, to read and to compare with another run's.
  std::string text = dump(json);
  text.back() = ',';
  text += "\"pictures\":[";
  const char* separator = "\n";
  for (const PairResult& result : run.results) {
    text += separator + dump(result_json(result, relative));
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
  if (const auto& shift = difference.shift)
    json["shift"] = {{"x", shift->x},
                     {"y", shift->y},
                     {"pixels_over", shift->pixels_over},
                     {"edge", shift->edge}};
  if (const auto& overlap = difference.overlap)
    json["overlap"] = {{"width", overlap->width},
                       {"height", overlap->height},
                       {"pixels_over", overlap->pixels_over}};
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
  if (difference.all_pixels > 0) json["all_pixels"] = difference.all_pixels;
  json["pixels"] = difference.pixels;
  json["pixels_over"] = difference.pixels_over;
  json["not_finite"] = difference.not_finite;
  if (difference.antialiased > 0) json["antialiased"] = difference.antialiased;
  if (difference.ignored > 0)
    json["ignored"] = {{"pixels", difference.ignored}, {"different", difference.ignored_different}};
  for (const PictureDifference::Channel& channel : difference.channels)
    json["channels"][utf8(channel.name)] = channel_json(channel);
  json["rmse"] = number_json(difference.rmse);
  json["psnr_db"] = number_json(difference.psnr);
  if (difference.pixels_over == 0) return json;
  json["box"] = box_json(difference.box);
  json["densest"] = box_json(difference.densest);
  json["densest"]["pixels"] = difference.densest_pixels;
  return json;
}

Json difference_json(const PictureDifference& difference, const Verdict& verdict) {
  const Json measured = difference_json(difference);
  Json json = {{"version", 1},
               {"same", verdict.same},
               {"kind", measured.at("kind")},
               {"reasons", verdict.reasons}};
  json.update(measured);
  return json;
}

Json counts_json(const RunCounts& counts) {
  return {{"same", counts.same},
          {"differ", counts.differ},
          {"new", counts.added},
          {"missing", counts.missing},
          {"not_compared", counts.not_compared}};
}

std::string dump(const Json& json) {
  return json_for_yaml(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string run_junit(const ComparisonRun& run) {
  const RunCounts counts = count_states(run);
  double seconds = 0;
  for (const PairResult& result : run.results) seconds += result.seconds;
  const std::string numbers = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.6f}\"", counts.all(),
      counts.differ + counts.added + counts.missing, counts.not_compared, seconds);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n",
      numbers, xml(run.title), numbers);
  for (const PairResult& result : run.results) text += case_xml(run.title, result);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace roundel
