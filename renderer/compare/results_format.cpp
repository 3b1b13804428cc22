#include "renderer/compare/results_format.h"

#include <limits>

#include "renderer/compare/golden_rules.h"
#include "renderer/compare/run_json.h"
#include "renderer/scene/schema.h"

namespace roundel {
namespace {

constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;  // JSON's largest exact integer
constexpr double kMostNumber = std::numeric_limits<double>::max();
SpecPtr count() {
  return spec(IntegerSpec{0, kMostCounted});
}
/// Of pictures and boxes: the sum of two fits into an int.
SpecPtr side() {
  return spec(IntegerSpec{0, std::int64_t{1} << 30});
}
SpecPtr any_text() {
  return spec(StringSpec{true}, "a text");
}
SpecPtr path_text() {
  return spec(StringSpec{false, true}, "a path");
}
SpecPtr measure() {
  static const SpecPtr kMeasure =
      spec(AnyOfSpec{{spec(NumberSpec{0, kMostNumber}), spec(NullSpec{})}},
           "a number, or null where it is infinite", "measure");
  return kMeasure;
}

std::vector<Field> box_fields() {
  return {{"x", side(), "", true, ""},
          {"y", side(), "", true, ""},
          {"width", side(), "", true, ""},
          {"height", side(), "", true, ""}};
}

SpecPtr flip_spec() {
  const SpecPtr value = spec(NumberSpec{0, kMostNumber});
  return spec(ObjectSpec{{{"mean", value, "", true, ""},
                          {"weighted_median", value, "", true, ""},
                          {"min", value, "", true, ""},
                          {"max", value, "", true, ""}}},
              "{mean, weighted_median, min, max}");
}

SpecPtr difference_spec() {
  const SpecPtr channel =
      spec(ObjectSpec{{{"largest", measure(), "", true, ""}, {"mean", measure(), "", true, ""}}},
           "{largest, mean}");
  const SpecPtr ignored =
      spec(ObjectSpec{{{"pixels", count(), "", true, ""}, {"different", count(), "", true, ""}}},
           "{pixels, different}");
  std::vector<Field> densest = box_fields();
  densest.push_back({"pixels", count(), "how many it holds", true, ""});
  return spec(
      ObjectSpec{{{"kind", spec(EnumSpec{kind_names()}), "", true, ""},
                  {"shape", any_text(), "of other_shape: both shapes", false, ""},
                  {"flip", flip_spec(), "", false, ""},
                  {"ssim", spec(NumberSpec{-kMostNumber, kMostNumber}), "", false, ""},
                  {"width", side(), "", false, ""},
                  {"height", side(), "", false, ""},
                  {"pixels", count(), "with any difference", false, ""},
                  {"pixels_over", count(), "with a difference that counts", false, ""},
                  {"not_finite", count(), "with NaN or infinity on one side only", false, ""},
                  {"antialiased", count(),
                   "that differ by antialiasing only, where that is ignored", false, ""},
                  {"ignored", ignored, "by regions and mask", false, ""},
                  {"channels", spec(DictSpec{channel}, "a map of channels"), "", false, ""},
                  {"rmse", measure(), "", false, ""},
                  {"psnr_db", measure(), "", false, ""},
                  {"box", spec(ObjectSpec{box_fields()}, "{x, y, width, height}"),
                   "around the pixels over; y from the top", false, ""},
                  {"densest", spec(ObjectSpec{densest}, "{x, y, width, height, pixels}"),
                   "the window with most of them", false, ""}}},
      "a difference {kind: ...}");
}

std::string problem_of_result(YamlNode map) {
  const auto state = map.find("state");
  const bool is_compared =
      state && state->is_scalar() && (state->text() == "same" || state->text() == "differs");
  return is_compared && !map.find("difference")
             ? "missing key \"difference\", which this state needs"
             : "";
}

SpecPtr result_spec() {
  return spec(
      ObjectSpec{
          {{"name", spec(StringSpec{false, true}, "a name"), "the picture's path in its folder",
            true, ""},
           {"state", spec(EnumSpec{state_names()}), "what came of it", true, ""},
           {"reasons", spec(ListSpec{any_text()}, "a list of texts"),
            "every limit passed; why nothing could be compared", false, ""},
           {"origin", spec(EnumSpec{origin_names()}),
            "why it differs, where the fingerprints say so", false, ""},
           {"explanation", spec(ListSpec{any_text()}, "a list of texts"),
            "with `--explain-from`: lines that say what in the scene makes it differ", false, ""},
           {"rule", any_text(), "the rule of the manifest that applied, or default", false, ""},
           {"tolerance", spec(ObjectSpec{tolerance_fields()}, "a map of limits"),
            "what the rule lets through, in the manifest's words; absent: nothing", false, ""},
           {"difference", difference_spec(),
            "as `roundel diff --json` has it; of \"same\" and \"differs\"", false, ""},
           {"ppd", spec(NumberSpec{kLeastPixelsPerDegree, kMostPixelsPerDegree}),
            "pixels per degree, of flip", false, ""},
           {"scene", path_text(), "the scene that was drawn", false, ""},
           {"golden", path_text(), "", false, ""},
           {"actual", path_text(), "", false, ""},
           {"image", path_text(), "of the differences", false, ""},
           {"seconds", spec(NumberSpec{0, kMostNumber}), "that drawing and comparing took", false,
            ""}},
          {},
          {},
          {},
          {},
          problem_of_result},
      "a result {name: NAME, state: STATE, ...}");
}

}  // namespace

std::vector<std::string> kind_names() {
  return {"equal_bytes", "equal_pixels", "different", "other_shape"};
}

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (const PairState state : {PairState::kSame, PairState::kDiffers, PairState::kNew,
                                PairState::kMissing, PairState::kNotCompared})
    names.emplace_back(state_name(state));
  return names;
}

std::vector<std::string> origin_names() {
  std::vector<std::string> names;
  for (const Origin origin : {Origin::kSameScene, Origin::kSceneChanged, Origin::kOtherFrame})
    names.emplace_back(origin_name(origin));
  return names;
}

const Spec& results_spec() {
  static const SpecPtr kFormat = [] {
    const SpecPtr counts = spec(ObjectSpec{{{"same", count(), "", true, ""},
                                            {"differ", count(), "", true, ""},
                                            {"new", count(), "", true, ""},
                                            {"missing", count(), "", true, ""},
                                            {"not_compared", count(), "", true, ""}}},
                                "{same, differ, new, missing, not_compared}");
    const SpecPtr number = spec(IntegerSpec{1, std::numeric_limits<int>::max()});
    const SpecPtr shard =
        spec(ObjectSpec{{{"share", number, "", true, ""}, {"of", number, "", true, ""}}},
             "{share: I, of: N}");
    return spec(
        ObjectSpec{
            {{"version", spec(IntegerSpec{1, 1}), "", true, ""},
             {"title", any_text(), "", true, ""},
             {"counts", counts, "how many pictures have which state", true, ""},
             {"shard", shard, "of `regress --shard`: which share of the pictures this is", false,
              ""},
             {"passed_over", count(), "files of two folders that are no pictures", false, ""},
             {"goldens", path_text(), "the folder of the goldens", false, ""},
             {"output", path_text(), "the folder in which `roundel accept` finds pictures", false,
              ""},
             {"pictures", spec(ListSpec{result_spec()}, "a list of results"),
              "in the order of their names", true, ""}}},
        "results {version: 1, title: ..., pictures: [...]}");
  }();
  return *kFormat;
}

std::string results_json_schema() {
  return json_schema(
      results_spec(), "Roundel results",
      "The results of comparing many pictures. Written by `roundel schema results`.");
}

}  // namespace roundel
