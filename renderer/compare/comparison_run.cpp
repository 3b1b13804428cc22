#include "renderer/compare/comparison_run.h"

#include <fmt/format.h>

#include <new>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

const GoldenRule& apply_rule(const GoldenRules& rules, const Measures& measures,
                             PairResult& result) {
  const GoldenRule& rule = rule_for(rules, result.name);
  result.rule = rule.name;
  result.max_delta = rule.tolerance.max_delta;
  result.pixels_per_degree = measures.pixels_per_degree;
  return rule;
}

/// What the verdict needs; the rest is for people, who look at what differs.
Measures measures_for(const Tolerance& tolerance, Measures measures) {
  measures.flip = tolerance.flip_mean.has_value();
  measures.ssim = false;
  return measures;
}

/// The verdict on `result.difference`, and for pictures that differ all that was asked for. They
/// are null where their bytes are equal.
void conclude(const Tolerance& tolerance, const Picture* golden, const Picture* actual,
              const Measures& measures, PairResult& result) {
  const Verdict verdict = judge(result.difference, tolerance);
  result.state = verdict.same ? PairState::kSame : PairState::kDiffers;
  result.reasons = verdict.reasons;
  if (golden == nullptr || actual == nullptr) return;
  result.origin = origin_of(golden->metadata, actual->metadata);
  if (verdict.same || (!measures.flip && !measures.ssim)) return;
  Measures all = measures;
  all.flip |= tolerance.flip_mean.has_value();
  result.difference = compare_pictures(*golden, *actual, tolerance, all);
}

}  // namespace

std::string command_to_accept(const ComparisonRun& run, const std::vector<std::string>& names) {
  std::string command = run.accept_command, words;
  bool has_dash = false;
  for (const std::string& name : names) {
    has_dash |= name.starts_with('-');
    words += " " + shell_word(name);
  }
  return command + (has_dash ? " --" : "") + words;
}

RunCounts count_states(const ComparisonRun& run) {
  RunCounts counts;
  std::size_t* const of_states[] = {&counts.same, &counts.differ, &counts.fresh, &counts.missing,
                                    &counts.not_compared};
  for (const PairResult& result : run.results) ++*of_states[static_cast<int>(result.state)];
  return counts;
}

const char* state_name(PairState state) {
  constexpr const char* kNames[] = {"same", "differs", "new", "missing", "not compared"};
  return kNames[static_cast<int>(state)];
}

std::string counts_text(const RunCounts& counts) {
  std::string text =
      fmt::format("{}: {} same", count_with_noun(counts.all(), "picture"), counts.same);
  if (counts.differ > 0) {
    text += fmt::format(", {} differ{}", counts.differ, counts.differ == 1 ? "s" : "");
  }
  if (counts.fresh > 0) text += fmt::format(", {} new", counts.fresh);
  if (counts.missing > 0) text += fmt::format(", {} missing", counts.missing);
  if (counts.not_compared > 0) text += fmt::format(", {} not compared", counts.not_compared);
  return text;
}

std::string origin_text(Origin origin) {
  constexpr const char* kTexts[] = {
      "", "the renderer changed: the golden is of the same scene and frame",
      "the scene changed: the golden has another fingerprint",
      "the golden is of another frame of this scene"};
  return kTexts[static_cast<int>(origin)];
}

Origin origin_of(const std::optional<ImageMetadata>& golden,
                 const std::optional<ImageMetadata>& actual) {
  if (!golden || !actual || golden->fingerprint.empty() || actual->fingerprint.empty()) {
    return Origin::kUnknown;
  }
  if (golden->fingerprint != actual->fingerprint) return Origin::kSceneChanged;
  return golden->frame == actual->frame ? Origin::kSameScene : Origin::kOtherFrame;
}

bool lacks_fingerprint(const PairResult& result) {
  return result.state == PairState::kSame && result.difference.pixels == 0 &&
         result.origin != Origin::kSameScene;
}

std::string result_line(const PairResult& result) {
  std::string line = fmt::format("{}: {}", printable(result.name), state_name(result.state));
  std::string separator = ": ";
  for (const std::string& reason : result.reasons) {
    line += separator + reason;
    separator = ", ";
  }
  if (result.state == PairState::kDiffers && result.origin != Origin::kUnknown) {
    line += "; " + origin_text(result.origin);
  }
  if (!result.rule.empty()) line += fmt::format(" [{}]", result.rule);
  return line;
}

void compare_pair(const Picture& golden, const Picture& actual, const GoldenRules& rules,
                  const Measures& measures, PairResult& result) {
  const GoldenRule& rule = apply_rule(rules, measures, result);
  result.difference =
      compare_pictures(golden, actual, rule.tolerance, measures_for(rule.tolerance, measures));
  conclude(rule.tolerance, &golden, &actual, measures, result);
}

void compare_pair_of_files(const GoldenRules& rules, const Measures& measures, PairResult& result) {
  const GoldenRule& rule = apply_rule(rules, measures, result);
  const auto fail = [&result](const std::string& reason) {
    result.state = PairState::kNotCompared;
    result.reasons = {reason};
  };
  try {
    ComparedFiles files = compare_files(result.golden_path, result.actual_path, rule.tolerance,
                                        measures_for(rule.tolerance, measures));
    result.difference = std::move(files.difference);
    conclude(rule.tolerance, files.a ? &*files.a : nullptr, files.b ? &*files.b : nullptr, measures,
             result);
  } catch (const Error& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
}

}  // namespace roundel
