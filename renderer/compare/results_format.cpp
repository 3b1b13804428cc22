#include "renderer/compare/results_format.h"

#include <limits>

#include "renderer/compare/golden_rules.h"
#include "renderer/compare/run_json.h"
#include "renderer/format/schema.h"

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
  static const SpecPtr kMeasure = any_of({spec(NumberSpec{0, kMostNumber}), spec(NullSpec{})},
                                         "a number, or null where it is infinite", "measure");
  return kMeasure;
}

std::vector<Field> box_fields() {
  return {required("x", side()), required("y", side()), required("width", side()),
          required("height", side())};
}

SpecPtr flip_spec() {
  const SpecPtr value = spec(NumberSpec{0, kMostNumber});
  return object("{mean, weighted_median, min, max}",
                {required("mean", value), required("weighted_median", value),
                 required("min", value), required("max", value)});
}

SpecPtr difference_spec() {
  const SpecPtr channel =
      object("{largest, mean}", {required("largest", measure()), required("mean", measure())});
  const SpecPtr ignored =
      object("{pixels, different}", {required("pixels", count()), required("different", count())});
  std::vector<Field> densest = box_fields();
  densest.push_back(required("pixels", count(), "number of differing pixels in it"));
  return object("a difference {kind: ...}",
                {required("kind", spec(EnumSpec{kind_names()})),
                 {"shape", any_text(), "both shapes, for the kind other_shape"},
                 {"flip", flip_spec()},
                 {"ssim", spec(NumberSpec{-kMostNumber, kMostNumber})},
                 {"width", side()},
                 {"height", side()},
                 {"pixels", count(), "number of pixels with any difference"},
                 {"pixels_over", count(), "number of pixels with a difference that counts"},
                 {"not_finite", count(), "number of pixels with NaN or infinity on one side only"},
                 {"antialiased", count(),
                  "number of pixels that differ by antialiasing only, if that is ignored"},
                 {"ignored", ignored, "pixels that regions and mask ignore"},
                 {"channels", spec(DictSpec{channel}, "a map of channels")},
                 {"rmse", measure()},
                 {"psnr_db", measure()},
                 {"box", object("{x, y, width, height}", box_fields()),
                  "box around the pixels over; y from the top"},
                 {"densest", object("{x, y, width, height, pixels}", densest),
                  "window with the most pixels over"}});
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
  return object(
      "a result {name: NAME, state: STATE, ...}",
      {required("name", spec(StringSpec{false, true}, "a name"),
                "the picture's path in its folder"),
       required("state", spec(EnumSpec{state_names()}), "result of the comparison"),
       {"reasons", spec(ListSpec{any_text()}, "a list of texts"),
        "each limit that was exceeded, or why nothing could be compared"},
       {"origin", spec(EnumSpec{origin_names()}), "what changed, if the fingerprints tell"},
       {"explanation", spec(ListSpec{any_text()}, "a list of texts"),
        "lines of `--explain-from`: what in the scene makes it differ"},
       {"rule", any_text(), "rule of the manifest that applied, or default"},
       {"tolerance", object("a map of limits", tolerance_fields()),
        "what the rule allows, in the manifest's words; absent: nothing"},
       {"difference", difference_spec(),
        "measures as in `roundel diff --json`, for \"same\" and \"differs\""},
       {"ppd", spec(NumberSpec{kLeastPixelsPerDegree, kMostPixelsPerDegree}),
        "pixels per degree, for FLIP"},
       {"scene", path_text(), "scene that was drawn"},
       {"golden", path_text()},
       {"actual", path_text()},
       {"image", path_text(), "picture of the differences"},
       {"seconds", spec(NumberSpec{0, kMostNumber}), "time of drawing and comparing"}},
      {.problem = problem_of_result});
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

/// Each missing share is a result.
constexpr int kMaxShares = 10'000;

const Spec& results_spec() {
  static const SpecPtr kFormat = [] {
    const SpecPtr counts =
        object("{same, differ, new, missing, not_compared}",
               {required("same", count()), required("differ", count()), required("new", count()),
                required("missing", count()), required("not_compared", count())});
    const SpecPtr number = spec(IntegerSpec{1, kMaxShares});
    const SpecPtr shard =
        object("{share: I, of: N}", {required("share", number), required("of", number)});
    return object("results {version: 1, title: ..., pictures: [...]}",
                  {required("version", spec(IntegerSpec{1, 1})),
                   required("title", any_text()),
                   required("counts", counts, "number of pictures in each state"),
                   {"shard", shard, "share of the pictures, with `regress --shard`"},
                   {"passed_over", count(), "number of other files in the two folders"},
                   {"goldens", path_text(), "folder of the goldens"},
                   {"output", path_text(), "folder in which `roundel accept` finds pictures"},
                   required("pictures", spec(ListSpec{result_spec()}, "a list of results"),
                            "results, sorted by name")});
  }();
  return *kFormat;
}

std::string results_json_schema() {
  return json_schema(
      results_spec(), "Roundel results",
      "The results of comparing many pictures. Written by `roundel schema results`.");
}

}  // namespace roundel
