#include <fmt/format.h>

#include <algorithm>

#include "renderer/compare/comparison_run.h"

namespace roundel {
namespace {

/// The most that was seen of pictures with a rule.
struct MostSeen {
  std::size_t pictures = 0;
  double delta = 0, pixels = 0, percent = 0, flip_mean = 0;
  std::uint64_t densest = 0, ignored = 0, antialiased = 0;

  void add(const PictureDifference& difference) {
    ++pictures;
    // No limit allows NaN and infinity.
    const auto over = static_cast<double>(difference.pixels_over -
                                          std::min(difference.pixels_over, difference.not_finite));
    pixels = std::max(pixels, over);
    if (difference.width > 0)
      percent = std::max(
          percent,
          100 * over / static_cast<double>(pixel_count(difference.width, difference.height)));
    for (const PictureDifference::Channel& channel : difference.channels)
      delta = std::max(delta, channel.largest);
    if (difference.flip)
      flip_mean = std::max(flip_mean, static_cast<double>(difference.flip->mean));
    densest = std::max(densest, difference.densest_pixels);
    ignored += difference.ignored_different;
    antialiased += difference.antialiased;
  }
};

/// "max-delta 2, seen 1; no ignored pixel differs"; empty where the rule allows no more than there
/// is.
std::string generosity(const Tolerance& tolerance, const MostSeen& seen) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const auto compare = [&](const char* limit, double allowed, double most) {
    if (allowed > most) add(fmt::format("{} {:.6g}, seen {:.6g}", limit, allowed, most));
  };
  compare("max-delta", tolerance.max_delta, seen.delta);
  if (tolerance.max_pixels && tolerance.pixels_in_percent)
    compare("max-pixels in percent", *tolerance.max_pixels, seen.percent);
  else if (tolerance.max_pixels)
    compare("max-pixels", *tolerance.max_pixels, seen.pixels);
  if (tolerance.max_density)
    compare("max-density", static_cast<double>(tolerance.max_density->pixels),
            static_cast<double>(seen.densest));
  if (tolerance.flip_mean) compare("flip-mean", *tolerance.flip_mean, seen.flip_mean);
  if ((!tolerance.ignore.empty() || tolerance.mask) && seen.ignored == 0)
    add("no ignored pixel differs");
  if (tolerance.ignores_antialiasing && seen.antialiased == 0)
    add("no pixel differs by antialiasing");
  return text;
}

}  // namespace

std::vector<std::string> generous_rules(const ComparisonRun& run, const GoldenRules& rules) {
  std::vector<std::string> lines;
  for (auto rule = rules.begin(); rule + 1 < rules.end(); ++rule) {
    MostSeen seen;
    for (const PairResult& result : run.results)
      if (result.rule == rule->name && result.state <= PairState::kDiffers)
        seen.add(result.difference);
    const std::string text = generosity(rule->tolerance, seen);
    if (seen.pictures > 0 && !text.empty())
      lines.push_back(fmt::format("{}: allows more than needed: {}", rule->name, text));
  }
  return lines;
}

}  // namespace roundel
