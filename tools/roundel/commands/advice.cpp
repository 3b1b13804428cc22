#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "renderer/base/text.h"
#include "renderer/compare/pending_goldens.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Returns where a picture's limits come from: this option, or `goldens.yaml:3 "r*"`.
std::string limit_place(const PairResult& result, const std::string& option) {
  return result.rule.empty() || result.rule == kDefaultRule ? option : result.rule;
}

/// Warns about boxes that touch none of their pictures.
void print_boxes_outside(const ComparisonRun& run) {
  std::map<std::string, bool> may_be_inside;
  for (const PairResult& result : run.results) {
    const PictureDifference& difference = result.difference;
    for (const PixelBox& box : result.tolerance.ignore)
      may_be_inside[fmt::format("{}: the {}x{} pixels at ({}, {})", limit_place(result, "--ignore"),
                                box.width, box.height, box.x, box.y)] |=
          difference.width == 0 || (box.x < difference.width && box.y < difference.height);
  }
  for (const auto& [box, may_be] : may_be_inside)
    if (!may_be) print_warning(box + " lie outside of the pictures");
}

/// Warns about patterns of channels that fit none in their pictures.
void print_unfit_channels(const ComparisonRun& run) {
  std::map<std::string, std::string> channels;  // existing channels; none if the pattern may fit
  for (const PairResult& result : run.results) {
    const PictureDifference::ChannelNames& names = result.difference.names;
    for (const Tolerance::ChannelDelta& delta : result.tolerance.channel_deltas) {
      const bool is_unfit =
          std::find(names.unfit.begin(), names.unfit.end(), delta.pattern) != names.unfit.end();
      const std::string place = fmt::format("{}: {}", limit_place(result, "--channel-delta"),
                                            roundel::quoted(delta.pattern));
      const auto [known, is_new] = channels.try_emplace(place, names.text);
      if (!is_unfit) known->second.clear();
    }
  }
  for (const auto& [place, names] : channels)
    if (!names.empty()) print_warning(fmt::format("{} fits no channel; {}", place, names));
}

}  // namespace

void print_idle_limits(const ComparisonRun& run) {
  print_boxes_outside(run);
  print_unfit_channels(run);
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNames = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxNames, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kMaxNames ? ", …" : "");
}

void warn_about_leftovers(const PendingGoldens& pending) {
  if (!pending.leftover_problem().empty())
    print_warning(fmt::format("{}; pictures of an earlier run may stay in {}",
                              pending.leftover_problem(), pending.folder()));
  if (!pending.removed().empty())
    print_warning(fmt::format("removed {} of an earlier run from {}: {}",
                              counted(pending.removed().size(), "picture"), pending.folder(),
                              first_names(pending.removed())));
}

void print_accept_command(const ComparisonRun& run, const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNames = 10;
  print_out(fmt::format(
      "pictures are in {}, to accept them: {}\n", run.output_folder,
      names.size() <= kMaxNames ? command_to_accept(run, names) : run.accept_command + " --all"));
}

void print_unused_goldens(const StoredGoldens& stored) {
  const std::vector<std::string>& unused = stored.unused;
  if (unused.empty()) return;
  const std::string head =
      unused.size() == 1 ? "unused golden" : fmt::format("{} unused goldens", unused.size());
  print_out(fmt::format("{} in {}: {} (no scene of this run draws {})\n", head, stored.folder,
                        first_names(unused), unused.size() == 1 ? "it" : "them"));
}

void print_advice(const ComparisonRun& run) {
  std::vector<std::string> kept, unnamed;
  std::size_t same = 0;
  for (const PairResult& result : run.results) {
    std::error_code ignored;
    if (result.actual_path.empty() || !is_within(result.actual_path, run.output_folder) ||
        !fs::exists(result.actual_path, ignored))
      continue;
    if (result.state == PairState::kSame && !lacks_fingerprint(result))
      ++same;
    else
      (result.state == PairState::kSame ? unnamed : kept).push_back(result.name);
  }
  if (!unnamed.empty()) {
    // All names, however many: --all would accept the failures, too.
    print_out(fmt::format(
        "{} {} the right pixels but another fingerprint than the scene; to store the scene's: {}\n",
        counted(unnamed.size(), "golden"), unnamed.size() == 1 ? "has" : "have",
        command_to_accept(run, unnamed)));
  }
  if (!kept.empty()) print_accept_command(run, kept);
  if (same > 0)
    print_out(
        fmt::format("{} that {} the same {} kept in {}, too; accept --files makes files of "
                    "goldens that are hashes\n",
                    counted(same, "picture"), same == 1 ? "is" : "are", same == 1 ? "is" : "are",
                    run.output_folder));
  print_earlier_pictures(run);
}

void print_earlier_pictures(const ComparisonRun& run) {
  if (!run.kept_rows_before.empty())
    print_out(fmt::format("{} of earlier runs can also be accepted from {}: {}\n",
                          counted(run.kept_rows_before.size(), "picture"), run.output_folder,
                          first_names(run.kept_rows_before)));
}

}  // namespace roundel
