#include "renderer/compare/run_json.h"

#include "renderer/base/text.h"
#include "renderer/compare/difference_json.h"

namespace roundel {
namespace {

/// Also within its tolerance. The origin tells why pictures differ, so equal ones have none.
bool differs_at_all(const PairResult& result) {
  return result.difference.kind == PictureDifference::Kind::kDifferent ||
         result.difference.kind == PictureDifference::Kind::kOtherShape;
}

nlohmann::ordered_json result_json(const PairResult& result) {
  nlohmann::ordered_json json = {{"name", printable(result.name)},
                                 {"state", state_name(result.state)}};
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

}  // namespace roundel
