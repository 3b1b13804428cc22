#include <fmt/format.h>

#include "renderer/base/text.h"
#include "renderer/compare/run_json.h"

namespace roundel {
namespace {

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
