#include "renderer/compare/results_format.h"

#include <limits>

#include "renderer/compare/golden_rules.h"
#include "renderer/compare/picture_shift.h"
#include "renderer/compare/run_json.h"
#include "renderer/compare/tolerance_fields.h"
#include "renderer/format/schema.h"

namespace roundel {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;  // largest exact integer in JSON
constexpr double kMaxMeasure = std::numeric_limits<double>::max();
Form<std::int64_t> count() {
  return integer(0, kMaxCount);
}
/// A side of a picture or box: the sum of two fits into an int.
Form<std::int64_t> side() {
  return integer(0, std::int64_t{1} << 30);
}
Form<double> any_size() {
  return number(0, kMaxMeasure);
}
Form<std::string> any_text() {
  return text("a text", StringSpec{true});
}
Form<std::vector<std::string>> texts() {
  return list_of(any_text(), 0, ListSpec{}.max_items, "a list of texts");
}
Form<std::string> path_text(const char* expected = "a path") {
  return text(expected, StringSpec{false, true});
}
/// null is infinity.
Form<double> measure() {
  const Form<double> infinite(spec(NullSpec{}),
                              [](ValidNode) { return std::numeric_limits<double>::infinity(); });
  return any_of<double>({any_size(), infinite}, "a number, or null where it is infinite",
                        "measure");
}

Form<FlipStatistics> flip() {
  using Flip = FlipStatistics;
  return object<Flip>(
      "{mean, weighted_median, min, max}",
      {required("mean", &Flip::mean, any_size()),
       required("weighted_median", &Flip::weighted_median, any_size()),
       required("min", &Flip::min, any_size()), required("max", &Flip::max, any_size())});
}

Form<std::vector<PictureDifference::Channel>> channels() {
  using Channel = PictureDifference::Channel;
  const auto set_level = [](Channel& channel, const std::vector<std::int64_t>& level) {
    channel.level_x = static_cast<int>(level[0]), channel.level_y = static_cast<int>(level[1]);
  };
  constexpr std::int64_t kMaxLevel = 16;
  const auto channel = object<Channel>(
      "{largest, mean}",
      {required("largest", &Channel::largest, measure()),
       required("mean", &Channel::mean, measure()),
       {"pixels", &Channel::pixels, count(), "number of pixels that differ in this channel"},
       {"x", &Channel::x, side(), "column of the pixel with the largest difference"},
       {"y", &Channel::y, side(), "its row, from the top"},
       {"level", set_level, list_of(integer(0, kMaxLevel), 2, 2, "a level [X, Y]"),
        "its level of an EXR, if it is not the largest one"}});
  return {spec(DictSpec{channel}, "a map of channels"), [channel](ValidNode map) {
            std::vector<Channel> all;
            map.for_each_entry([&](std::string_view name, ValidNode node) {
              all.push_back(channel.read(node));
              all.back().name = name;
            });
            return all;
          }};
}

Form<PictureDifference> difference() {
  using Difference = PictureDifference;
  const auto ignored = object<Difference>(
      "{pixels, different}", {required("pixels", &Difference::ignored, count()),
                              required("different", &Difference::ignored_different, count())});
  using Overlap = Difference::Overlap;
  const auto overlap = object<Overlap>(
      "{width, height, pixels_over}",
      {required("width", &Overlap::width, side()), required("height", &Overlap::height, side()),
       required("pixels_over", &Overlap::pixels_over, count())});
  using Shift = Difference::Shift;
  const auto step = integer(-kMaxShift, kMaxShift);
  const auto shift = object<Shift>(
      "{x, y, pixels_over, edge}",
      {required("x", &Shift::x, step, "pixels to the right"),
       required("y", &Shift::y, step, "pixels down"),
       required("pixels_over", &Shift::pixels_over, count(), "pixels that still differ"),
       required("edge", &Shift::edge, count(), "pixels of the golden without a partner")});
  std::vector<FieldOf<Difference>> densest;
  for (const FieldOf<PixelBox>& field : box_fields(side(), side()))
    densest.push_back(within(&Difference::densest, field));
  densest.push_back(
      required("pixels", &Difference::densest_pixels, count(), "number of differing pixels in it"));
  return object<Difference>(
      "a difference {kind: ...}",
      {required(
           "kind", &Difference::kind,
           one_of<Difference::Kind>({"equal_bytes", "equal_pixels", "different", "other_shape"})),
       {"shape", &Difference::shape, any_text(), "both shapes, for the kind other_shape"},
       {"overlap", &Difference::overlap, overlap,
        "what two pictures of different size have in common, upper left corners aligned"},
       {"shift", &Difference::shift, shift,
        "shift from the golden's pixels to the actual ones, with --align; it explains most of the "
        "difference"},
       {"flip", &Difference::flip, flip()},
       {"ssim", &Difference::ssim, number(-kMaxMeasure, kMaxMeasure)},
       {"width", &Difference::width, side()},
       {"height", &Difference::height, side()},
       {"all_pixels", &Difference::all_pixels, count(),
        "number of pixels in all parts and levels of an EXR with several"},
       {"pixels", &Difference::pixels, count(), "number of pixels with any difference"},
       {"pixels_over", &Difference::pixels_over, count(),
        "number of pixels with a difference that counts"},
       {"not_finite", &Difference::not_finite, count(),
        "number of pixels with NaN or infinity on one side only"},
       {"antialiased", &Difference::antialiased, count(),
        "number of pixels that differ by antialiasing only, if that is ignored"},
       {"ignored", kItself, ignored, "pixels that regions and mask ignore"},
       {"channels", &Difference::channels, channels()},
       {"rmse", &Difference::rmse, measure()},
       {"psnr_db", &Difference::psnr, measure()},
       {"box", &Difference::box,
        object<PixelBox>("{x, y, width, height}", box_fields(side(), side())),
        "box around the pixels over; y from the top"},
       {"densest", kItself, object<Difference>("{x, y, width, height, pixels}", std::move(densest)),
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

/// The first values, or those after kUnknown.
template <typename E>
std::vector<std::string> names_of(std::initializer_list<E> values, const char* (*name)(E)) {
  std::vector<std::string> names;
  for (const E value : values) names.emplace_back(name(value));
  return names;
}

ObjectForm<PairResult> make_result() {
  const auto state =
      one_of<PairState>(names_of({PairState::kSame, PairState::kDiffers, PairState::kNew,
                                  PairState::kMissing, PairState::kNotCompared},
                                 state_name));
  const auto origin = one_of<int>(
      names_of({Origin::kSameScene, Origin::kSceneChanged, Origin::kOtherFrame}, origin_name));
  const auto set_origin = [](PairResult& result, int index) {
    result.origin = static_cast<Origin>(index + 1);
  };
  return object<PairResult>(
      "a result {name: NAME, state: STATE, ...}",
      {required("name", &PairResult::name, path_text("a name"), "the picture's path in its folder"),
       required("state", &PairResult::state, state, "result of the comparison"),
       {"reasons", &PairResult::reasons, texts(),
        "each limit that was exceeded, or why nothing could be compared"},
       {"origin", set_origin, origin, "what changed, if the fingerprints tell"},
       {"explanation", &PairResult::explanation, texts(),
        "lines of `--explain-from`: what in the scene makes it differ"},
       {"line", &PairResult::scene_line, integer(1, kMaxCount), "first changed line of the scene"},
       {"rule", &PairResult::rule, any_text(), "rule of the manifest that applied, or default"},
       {"tolerance", &PairResult::tolerance,
        object<Tolerance>("a map of limits", tolerance_fields()),
        "what the rule allows, in the manifest's words; absent: nothing"},
       {"difference", &PairResult::difference, difference(),
        "measures as in `roundel diff --json`, for \"same\" and \"differs\""},
       {"ppd", &PairResult::pixels_per_degree, number(kMinPixelsPerDegree, kMaxPixelsPerDegree),
        "pixels per degree, for FLIP"},
       {"scene", &PairResult::scene_path, path_text(), "scene that was drawn"},
       {"golden", &PairResult::golden_path, path_text()},
       {"actual", &PairResult::actual_path, path_text()},
       {"image", &PairResult::difference_path, path_text(), "picture of the differences"},
       {"seconds", &PairResult::seconds, any_size(), "time of drawing and comparing"}},
      {.problem = problem_of_result});
}

/// Each missing share becomes a result.
constexpr int kMaxShares = 10'000;

ObjectForm<ComparisonRun> make_run(const ObjectForm<PairResult>& result) {
  using Run = ComparisonRun;
  const SpecPtr counts =
      object("{same, differ, new, missing, not_compared}",
             {required("same", count()), required("differ", count()), required("new", count()),
              required("missing", count()), required("not_compared", count())});
  const auto number = integer(1, kMaxShares);
  const auto shard = object<Run>("{share: I, of: N}", {required("share", &Run::share, number),
                                                       required("of", &Run::shares, number)});
  return object<Run>(
      "results {version: 1, title: ..., pictures: [...]}",
      {required("version", integer(1, 1)),
       required("title", &Run::title, any_text()),
       required("counts", counts, "number of pictures in each state"),
       {"shard", kItself, shard, "share of the pictures, with `regress --shard`"},
       {"ignored_files", &Run::ignored_files, count(), "number of other files in the two folders"},
       {"goldens", &Run::golden_folder, path_text(), "folder of the goldens"},
       {"output", &Run::output_folder, path_text(),
        "folder in which `roundel accept` finds pictures"},
       required("pictures", &Run::results,
                list_of(result, 0, ListSpec{}.max_items, "a list of results"),
                "results, sorted by name")});
}

}  // namespace

const ObjectForm<ComparisonRun>& results_form() {
  static const ObjectForm<ComparisonRun> kForm = make_run(make_result());
  return kForm;
}

std::string results_json_schema() {
  return json_schema(
      *results_form().spec, "Roundel results",
      "The results of comparing many pictures. Written by `roundel schema results`.");
}

}  // namespace roundel
