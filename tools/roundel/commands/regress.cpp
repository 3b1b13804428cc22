#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/accept_goldens.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/pending_goldens.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/regress_run.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

bool parse(const Arguments& arguments, RegressOptions& options) {
  CommandLine line("regress", "SCENE... --goldens DIR [OPTION...]",
                   "Draws scenes and compares each picture with its golden, a stored picture. The "
                   "golden of NAME.yaml is DIR/NAME.png, with --frames DIR/NAME/0007.png for frame "
                   "7. Prints what differs, and whether the scene or the renderer changed since "
                   "the golden was stored. Keeps the pictures that differ for \"roundel accept\".");
  line.add_arguments("SCENE...", 1, kAnyNumber, options.scenes,
                     "scene files (YAML), or folders; of a folder all *.yaml in it and its "
                     "subfolders, with the goldens in the same subfolders of DIR");
  line.add_value("goldens", "DIR", text(options.goldens),
                 {Group::kTask,
                  "folder of the goldens; in the working directory it may be missing, and accept "
                  "makes it"});
  add_regress_output(
      line, options.output,
      "folder for pictures that differ; DIR/actual has the pictures, DIR/diff shows where. Several "
      "runs may share it; a run changes only the pictures of its own scenes");
  add_frames(line, options.frames);
  line.add_value(
      "shard", "I/N", [&options](const std::string& value) { options.shard = parse_shard(value); },
      {Group::kTask,
       "draw only share I (from 1) of N of the pictures; auto asks Slurm, Open MPI or, as auto/N, "
       "Kubernetes for the share. The first share reports invalid scenes and unused goldens"});
  line.add_switch(
      "keep-same", options.keeps_same,
      {Group::kTask,
       "also keep the pictures that are the same; \"accept\" with --files makes pictures of "
       "the goldens that are hashes"});
  line.add_switch("strict", options.is_strict,
                  {Group::kTask, "an unused golden is a failure; it counts as \"missing\""});
  line.add_value(
      "retries", "N", whole(options.retries, 0, 100),
      {Group::kTask,
       "draw a picture that differs again, at most N times; 0 to 100, default: 0. If it is the "
       "same then, it passes, and a warning says that this machine does not always draw the same"});
  line.add_value(
      "explain-from", "FOLDER", file_name(options.explain_from, "a folder"),
      {Group::kTask,
       "explain changes by another checkout of the project; make one with git worktree add ../old "
       "origin/main. If a scene has changed, regress draws it as it is there, with the data there, "
       "and prints which values and circles make the difference"});
  add_run_files(line, options.files);
  line.add_value("json", "FILE", text(options.files.json, "a file name, or - for stdout"),
                 {Group::kResults, "write the results as JSON; - prints them instead of lines"});
  add_tolerance(line, options.tolerance, options.measures);
  add_size(line, options.scene);
  add_seed(line, options.scene);
  line.add_value(
      "format", "NAME",
      one_of(options.format, {{"png", {ImageFormat::kPng}}, {"exr", {ImageFormat::kExr}}}),
      {Group::kPicture,
       "png or exr; exr has floats, which show differences that 8 bits do not. Default: exr if the "
       "golden is NAME.exr and there is no NAME.png, otherwise png"});
  add_machine(line, options.machine, &options.is_on_both);
  add_quiet(line, options.verbosity, "print only errors; the exit code tells the result");
  add_verbose(line, options.verbosity, "also list the pictures that are the same");
  line.add_note(
      "regress never changes goldens, so that no run passes because it updated them. If it keeps "
      "pictures, it writes goldens.lock into the folder of the goldens, by which \"roundel "
      "accept\" knows the folder. A scene that cannot be drawn does not affect the others.");
  line.add_note(kResultsNote);
  line.set_usual(
      {"goldens", "frames", "strict", "max-delta", "max-pixels", "report", "junit", "output"});
  line.set_examples({"roundel regress scenes/*.yaml --goldens goldens",
                     "roundel regress scenes --goldens goldens --strict --report report",
                     "roundel regress scenes/snow.yaml --frames 0-9 --goldens goldens"});
  line.set_exit_codes(
      "0 all the same, or within the limits; 1 some differ or have no golden; 2 could not compare "
      "(wrong command line, a scene or golden that cannot be read, a picture that cannot be "
      "drawn); 130, 143 after SIGINT (Ctrl-C), SIGTERM");
  line.set_guide("docs/compare.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.goldens.empty())
      problems.emplace_back("--goldens: expected the folder of the goldens: --goldens DIR");
  });
  return line.parse(arguments);
}

/// Refuses outputs that would replace inputs, and inputs in the folder where pictures are kept and
/// removed.
void check_regress_outputs(const RegressOptions& options, const RegressPlan& plan) {
  std::vector<std::string> inputs = input_paths(plan.scenes);
  for (const GoldenScene& file : plan.files) inputs.push_back(file.path);
  inputs.push_back(manifest_path(options.files, options.goldens));
  inputs.push_back((fs::path(options.goldens) / kLockName).string());
  for (std::string& mask : mask_files(options.files, options.goldens, options.tolerance))
    inputs.push_back(std::move(mask));
  for (std::string& golden : picture_files(options.goldens)) inputs.push_back(std::move(golden));
  const std::vector<std::string> results = result_files(options.files);

  check_other_folder(options.output, options.goldens);
  std::vector<std::string> outputs = results;
  outputs.push_back(options.goldens);
  check_apart(options.output, inputs, outputs);
  outputs.pop_back();
  check_outputs(outputs, inputs);
  for (const std::string& path : results) {
    if (!path.ends_with(".png") || !is_within(path, options.goldens)) continue;
    throw Error(ExitCode::kUsage, fmt::format("{}: would be a golden", path));
  }
}

RegressMachine choose_machine(const RegressOptions& options, const DrawingCost& cost) {
  if (!options.is_on_both) return {{choose_backend(options.machine, cost).backend}};
  MachineOptions cuda = options.machine;
  cuda.backend = BackendChoice::kCuda;
  return {{Backend::kCpu, choose_backend(cuda).backend}};
}

int regress(const RegressOptions& options) {
  set_verbosity(options.verbosity);
  const ThreadLimit thread_limit(options.machine.raster.threads);
  RegressPlan plan = make_regress_plan(options);
  check_regress_outputs(options, plan);
  if (options.explain_from) check_checkout(*options.explain_from);
  const NameClaims claims(options.output, claimed_results(options.files));
  remove_old_results(options.files);
  check_golden_folder(options.goldens);
  const GoldenRules rules = load_rules(options.files, options.goldens, options.tolerance);
  DrawingCost cost;
  for (const Subject& subject : plan.subjects)
    cost += {count_parts(*subject.scene), subject.scene->image.pixels()};
  const RegressMachine machine = choose_machine(options, cost);
  Problems problems;
  StoredGoldens stored = find_goldens(options.goldens);
  stored.unused = unused_goldens(stored, names_of(plan), rules);
  const std::vector<std::string> unused_by_any_share = stored.unused;
  if (options.shard) {
    const std::size_t all = plan.subjects.size();
    keep_share(*options.shard, plan, stored.unused);
    if (plan.subjects.empty() && prints_lines(options.files, options.verbosity))
      print_note(fmt::format("--shard: share {} of {} has no picture, since there {}",
                             options.shard->index, options.shard->count,
                             all == 1 ? "is 1 picture" : fmt::format("are {} pictures", all)));
  }
  ComparisonRun run = draw_and_compare(plan.subjects, options, rules, stored, machine, problems);
  std::error_code ignored;
  run.is_part = options.scenes.size() == 1 && !fs::is_directory(options.scenes.front(), ignored);
  find_renamed(unused_by_any_share, stored, run);
  if (options.explain_from)
    explain_failures(*options.explain_from, plan.subjects, options.scene.overrides, run);
  run.results.insert(run.results.end(), plan.broken.begin(), plan.broken.end());
  if (options.is_strict)
    for (const std::string& name : stored.unused)
      run.results.push_back(missing_picture(name, stored));
  std::sort(run.results.begin(), run.results.end(),
            [](const PairResult& a, const PairResult& b) { return a.name < b.name; });
  const int code = finish_run(run, rules, options.files, options.verbosity);
  if (prints_lines(options.files, options.verbosity)) {
    if (!options.is_strict && !run.is_part) print_unused_goldens(stored);
    print_advice(run);
    if (options.is_strict && !stored.unused.empty())
      print_out("if these are all scenes, remove unused goldens with: " + run.accept_command +
                " --prune");
  }
  return problems.empty() ? code : static_cast<int>(kCouldNotCompare);
}

}  // namespace

int run_regress(const Arguments& arguments) {
  RegressOptions options;
  return parse(arguments, options) ? regress(options) : static_cast<int>(kSame);
}

}  // namespace roundel
