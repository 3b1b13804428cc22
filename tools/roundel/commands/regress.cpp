#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/pending_goldens.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/compare/regress.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

bool parse(const Arguments& arguments, RegressOptions& options) {
  CommandLine line("regress", "SCENE... --goldens DIR [OPTION...]",
                   "Draws scenes and compares each picture with the one stored for it, its golden: "
                   "DIR/NAME.png for NAME.yaml, with --frames DIR/NAME/0007.png for frame 7. "
                   "Prints what differs, and whether the scene has changed since the golden was "
                   "stored or the renderer; keeps what was drawn for \"roundel accept\".");
  line.add_arguments("SCENE...", 1, kAnyNumber, options.scenes,
                     "scene files (YAML), or folders: all *.yaml in them and their subfolders, "
                     "with the goldens in the same subfolders of DIR");
  line.add_value("goldens", "DIR", text(options.goldens), "folder of the goldens");
  add_regress_output(
      line, options.output,
      "folder for pictures that differ (DIR/actual) and where (DIR/diff), one run at "
      "a time; an earlier run's pictures stay unless this run draws them");
  add_frames(line, options.frames);
  line.add_value(
      "shard", "I/N", [&options](const std::string& value) { options.shard = parse_shard(value); },
      "only share I (from 1) of N of the pictures; auto asks Slurm, Open MPI or, as auto/N, "
      "Kubernetes which share this is; what is wrong with scenes, and goldens of no picture, are "
      "the first share's");
  line.add_switch("strict", options.is_strict,
                  "a golden of no picture of this run is a failure, too: \"missing\"");
  line.add_value(
      "retries", "N", whole(options.retries, 0, 100),
      "draw a picture that differs again, at most N times, 0 to 100; where it is the same then, it "
      "counts as that, and a warning says that this machine does not always draw the same "
      "(default: 0)");
  line.add_value("explain-from", "FOLDER", file_name(options.explain_from, "a folder"),
                 "another checkout of the project (git worktree add ../old origin/main): where a "
                 "scene has changed, draw it as it is there, with the data there, and say which "
                 "values and circles make the difference");
  add_run_files(line, options.files);
  line.add_value("json", "FILE", text(options.files.json, "a file name, or - for stdout"),
                 "write the results as JSON; - for stdout, instead of lines");
  add_tolerance(line, options.tolerance, options.measures);
  add_size(line, options.scene);
  add_seed(line, options.scene);
  line.add_value(
      "format", "NAME",
      one_of(options.format, {{"png", {ImageFormat::kPng}}, {"exr", {ImageFormat::kExr}}}),
      "png, or exr: floats, in which differences can be seen that 8 bits do not show (default: exr "
      "where the golden is NAME.exr and there is no NAME.png)");
  add_machine(line, options.machine, &options.is_on_both);
  add_quiet(line, options.verbosity, "print errors only: the exit code says it");
  add_verbose(line, options.verbosity, "list the pictures that are the same, too");
  line.add_note(
      "Goldens are never changed by this command, so that no run passes because it has updated "
      "them; where it leaves pictures, it gives the folder of goldens a goldens.lock, by which "
      "\"roundel accept\" knows it. A scene that cannot be drawn does not keep the others from "
      "it.");
  line.add_note(kResultsNote);
  line.add_note(
      "Exit codes: 0 all the same, or within what may differ; 1 some differ or have no golden; 2 "
      "could not compare (wrong command line, a scene or golden that cannot be read, a picture "
      "that cannot be drawn); 130, 143 after SIGINT, SIGTERM.");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.goldens.empty()) problems.emplace_back("--goldens: expected DIR");
  });
  return line.parse(arguments);
}

/// Nothing that is read may be replaced, or lie where pictures are kept and removed.
void check_regress_outputs(const RegressOptions& options, const RegressPlan& plan) {
  std::vector<std::string> inputs = files_read(plan.scenes);
  for (const GoldenScene& file : plan.files) inputs.push_back(file.path);
  inputs.push_back(manifest_path(options.files, options.goldens));
  inputs.push_back((fs::path(options.goldens) / kLockName).string());
  for (std::string& mask : masks_read(options.files, options.goldens, options.tolerance))
    inputs.push_back(std::move(mask));
  for (std::string& golden : pictures_read(options.goldens)) inputs.push_back(std::move(golden));
  const std::vector<std::string> results = result_files(options.files);

  check_other_folder(options.output, options.goldens);
  std::vector<std::string> outputs = results;
  outputs.push_back(options.goldens);
  check_apart(options.output, inputs, outputs);
  outputs.pop_back();
  outputs.push_back((fs::path(options.output) / "pending.json").string());
  check_outputs(outputs, inputs);
  for (const std::string& path : results) {
    if (!path.ends_with(".png") || !lies_in(path, options.goldens)) continue;
    throw Error(ExitCode::kUsage, fmt::format("{}: would be a golden", path));
  }
}

RegressMachine choose_machine(const RegressOptions& options, PictureWork work) {
  if (!options.is_on_both) return {{choose_backend(options.machine, work).backend}};
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
  const FolderClaim claim(options.output, FolderClaim::Kind::kOutput);
  remove_old_results(options.files);
  if (!fs::is_directory(options.goldens)) {
    throw Error(ExitCode::kUsage, fmt::format("--goldens: expected a folder, got {}",
                                              roundel::quoted(options.goldens)));
  }
  const GoldenRules rules = load_rules(options.files, options.goldens, options.tolerance);
  PictureWork work = 0;
  for (const Subject& subject : plan.subjects)
    work += count_parts(*subject.scene) + subject.scene->image.pixels();
  const RegressMachine machine = choose_machine(options, work);
  Problems problems;
  StoredGoldens stored = find_goldens(options.goldens);
  stored.unused = unused_goldens(stored, names_of(plan), rules);
  const std::vector<std::string> unused_by_any_share = stored.unused;
  if (options.shard) keep_share(*options.shard, plan, stored.unused);
  ComparisonRun run = draw_and_compare(plan.subjects, options, rules, stored, machine, problems);
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
    if (!options.is_strict) print_unused_goldens(stored);
    print_advice(run);
    if (options.is_strict && !stored.unused.empty())
      print_out("to remove the goldens of no picture: " + run.accept_command + " --prune");
  }
  return problems.empty() ? code : static_cast<int>(kCouldNotCompare);
}

}  // namespace

int run_regress(const Arguments& arguments) {
  RegressOptions options;
  return parse(arguments, options) ? regress(options) : static_cast<int>(kSame);
}

}  // namespace roundel
