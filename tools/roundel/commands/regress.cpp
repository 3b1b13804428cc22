#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "renderer/base/error.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/compare/alike_pictures.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/frame_encoder.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"
#include "tools/roundel/commands/unused_goldens.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

struct RegressOptions {
  std::vector<std::string> scenes;
  std::string goldens;
  std::string output;  ///< folder for what differs
  std::optional<Shard> shard;
  bool is_strict = false;  ///< goldens of no picture fail
  FramesOption frames;
  SceneOptions scene;
  MachineOptions machine;
  RunFiles files;
  Tolerance tolerance;  ///< of pictures without a rule in the manifest
  Measures measures;
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, RegressOptions& options) {
  CommandLine line(
      "regress", "SCENE... --goldens DIR [OPTION...]",
      "Draws scenes and compares each picture with the one stored for it, its golden: DIR/NAME.png "
      "for NAME.yaml, with --frames DIR/NAME/0007.png for frame 7. Prints what differs, and "
      "whether the scene has changed since the golden was stored or the renderer; keeps what was "
      "drawn for \"roundel accept\".");
  add_scenes(line, options.scenes);
  line.add_value("goldens", "DIR", text(options.goldens), "folder of the goldens");
  add_regress_output(line, options.output,
                     "folder for pictures that differ (DIR/actual) and where (DIR/diff); those of "
                     "the run before are removed from it");
  add_frames(line, options.frames);
  line.add_value(
      "shard", "I/N", [&options](const std::string& value) { options.shard = parse_shard(value); },
      "only share I (from 1) of N of the pictures; auto asks Slurm, Open MPI or, as auto/N, "
      "Kubernetes which share this is; what is wrong with scenes, and goldens of no picture, are "
      "the first share's");
  line.add_switch("strict", options.is_strict,
                  "a golden of no picture of this run is a failure, too: \"missing\"");
  add_run_files(line, options.files);
  line.add_value("json", "FILE", text(options.files.json, "a file name, or - for stdout"),
                 "write the results as JSON; - for stdout, instead of lines");
  add_tolerance(line, options.tolerance, options.measures);
  add_size(line, options.scene);
  add_seed(line, options.scene);
  add_machine(line, options.machine);
  add_quiet(line, options.verbosity, "print errors only: the exit code says it");
  add_verbose(line, options.verbosity, "list the pictures that are the same, too");
  line.add_note(
      "Goldens are never changed by this command, so that no run passes because it has updated "
      "them. A scene that cannot be drawn does not keep the others from it.");
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

/// Bytes of pictures that may wait for their comparison while the next ones are drawn.
constexpr std::uint64_t kMaxWaitingBytes = std::uint64_t{256} << 20;

/// One picture to draw and to compare.
struct Subject {
  const Scene* scene;
  std::int64_t frame;
  std::string name;  ///< of its golden
};

std::string stem_of(const std::string& scene_path) {
  return fs::path(scene_path).stem().string();
}

/// Frames of a film have a folder for each scene: none has the name of another scene's picture.
std::string golden_name(const std::string& scene_path, std::optional<std::int64_t> frame_of_film) {
  const std::string stem = stem_of(scene_path);
  return frame_of_film ? fmt::format("{}/{:04}.png", stem, *frame_of_film) : stem + ".png";
}

/// Throws Error(kUsage) for scenes whose goldens could not have their names.
void check_names(const RegressOptions& options) {
  std::map<std::string, std::string> owners;  // scene by stem
  for (const std::string& path : options.scenes) {
    const std::string stem = stem_of(path);
    if (find_non_text(stem)) {
      throw Error(ExitCode::kUsage, fmt::format("{}: expected a name in UTF-8 without control "
                                                "characters, which its golden will have too",
                                                printable(path)));
    }
    if (stem.find_first_not_of('.') == std::string::npos) {
      throw Error(ExitCode::kUsage,
                  fmt::format("{}: expected a name of more than dots before its ending, which its "
                              "golden will have too",
                              path));
    }
    const auto [owner, is_new] = owners.emplace(stem, path);
    if (!is_new) {
      throw Error(ExitCode::kUsage,
                  fmt::format("{} and {} would both have the golden{} {}", owner->second, path,
                              options.frames.is_given() ? "s" : "",
                              options.frames.is_given() ? stem + "/" : stem + ".png"));
    }
  }
}

/// What is known before anything is drawn.
struct Plan {
  std::vector<Scene> scenes;  ///< as given, but those that could not be read
  std::vector<Subject> subjects;
  std::vector<PairResult> broken;  ///< one for each scene that cannot be drawn
};

PairResult broken_scene(const std::string& path, const RegressOptions& options,
                        const Error& error) {
  if (prints_lines(options.files, options.verbosity)) print_error(error);
  PairResult result;
  result.name = options.frames.is_given() ? stem_of(path) + "/" : golden_name(path, std::nullopt);
  result.state = PairState::kNotCompared;
  result.scene_path = path;
  std::istringstream lines(error.what());
  for (std::string line; std::getline(lines, line);) result.reasons.push_back(line);
  return result;
}

/// One scene's pictures: all of them, or an error.
void plan_subjects(const Scene& scene, const RegressOptions& options, Plan& plan) {
  check_feasible(scene, ImageFormat::kPng, options.machine.raster.memory_budget);
  for (const std::int64_t frame : frames_of(scene, options.frames, scene.default_frame())) {
    const auto frame_of_film = options.frames.is_given() ? std::optional(frame) : std::nullopt;
    plan.subjects.push_back({&scene, frame, golden_name(scene.path, frame_of_film)});
  }
}

/// Reads the scenes; one that cannot be drawn does not keep the others from it.
Plan make_plan(const RegressOptions& options) {
  Plan plan;
  const auto attempt = [&](const std::string& path, const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      plan.broken.push_back(broken_scene(path, options, error));
    }
  };
  for (const std::string& path : options.scenes) {
    attempt(path, [&] { plan.scenes.push_back(load_scene(path, options.scene.overrides)); });
  }
  for (const Scene& scene : plan.scenes) {
    attempt(scene.path, [&] { plan_subjects(scene, options, plan); });
  }
  return plan;
}

/// Nothing that is read may be replaced, or lie where pictures are kept and removed.
void check_regress_outputs(const RegressOptions& options, const std::vector<Scene>& scenes) {
  std::vector<std::string> inputs = files_read(scenes);
  inputs.insert(inputs.end(), options.scenes.begin(), options.scenes.end());
  inputs.push_back(manifest_path(options.files, options.goldens));
  for (std::string& mask : masks_read(options.files, options.goldens, options.tolerance))
    inputs.push_back(std::move(mask));
  for (std::string& golden : pictures_read(options.goldens)) inputs.push_back(std::move(golden));
  const std::vector<std::string> results = result_files(options.files);

  std::error_code ignored;
  if (fs::equivalent(options.goldens, options.output, ignored)) {
    throw Error(ExitCode::kUsage, fmt::format("--output: expected another folder than that of the "
                                              "goldens, got {}",
                                              roundel::quoted(options.output)));
  }
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

/// Draws the subjects in order and compares each while the next ones are drawn.
class Regression {
 public:
  Regression(const std::vector<Subject>& subjects, const RegressOptions& options,
             const GoldenRules& rules, const std::vector<std::string>& unused,
             Rasterizer& rasterizer)
      : options_(options),
        rules_(rules),
        unused_(unused),
        rasterizer_(rasterizer),
        pending_(options.output, options.goldens, names_of(subjects)),
        subjects_(subjects) {
    if (pending_.leftover_problem().empty()) return;
    spdlog::warn("{}; pictures of an earlier run may stay in {}", pending_.leftover_problem(),
                 options.output);
  }

  /// Where the list of what was kept cannot be written, that goes to `problems`.
  ComparisonRun run(Problems& problems) {
    run_.title = fmt::format("regress {}", options_.goldens);
    run_.golden_folder = options_.goldens;
    run_.output_folder = options_.output;
    if (options_.shard) run_.share = options_.shard->index, run_.shares = options_.shard->count;
    run_.accept_command = accept_command(options_.output, options_.goldens);
    run_.results.resize(subjects_.size());
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      run_.results[i].name = subjects_[i].name;
      run_.results[i].scene_path = subjects_[i].scene->path;
      guard(run_.results[i], [&] { draw(subjects_[i], run_.results[i]); });
    }
    comparisons_.wait();
    problems.attempt([&] { pending_.finish(names_kept(), unused_to_list()); });
    return std::move(run_);
  }

 private:
  static std::vector<std::string> names_of(const std::vector<Subject>& subjects) {
    std::vector<std::string> names(subjects.size());
    std::transform(subjects.begin(), subjects.end(), names.begin(),
                   [](const Subject& subject) { return subject.name; });
    return names;
  }

  template <typename Work>
  static void guard(PairResult& result, const Work& work) {
    const Stopwatch watch;
    try {
      work();
    } catch (...) {
      result.state = PairState::kNotCompared;
      result.reasons = {current_error().what()};
    }
    result.seconds += watch.seconds();
  }

  void draw(const Subject& subject, PairResult& result) {
    if (scene_ != subject.scene) {
      scene_ = nullptr;
      source_.emplace(*subject.scene);
      scene_ = subject.scene;
    }
    const FilmSource::Frame now = source_->at(subject.frame);
    Image image;
    StageStats stats;
    draw_image(rasterizer_, now.circles->at(subject.frame, circles_), subject.scene->image, image,
               stats);
    const std::uint64_t bytes = image.bytes.size();
    if (waiting_bytes_ + bytes > kMaxWaitingBytes) {
      comparisons_.wait();
      waiting_bytes_ = 0;
    }
    waiting_bytes_ += bytes;
    const auto actual = std::make_shared<const Picture>(
        picture_of(std::move(image),
                   {kSoftware, fingerprint(*now.scene), subject.scene->seed, subject.frame}));
    comparisons_.run([this, &result, actual] { guard(result, [&] { compare(*actual, result); }); });
  }

  void compare(const Picture& actual, PairResult& result) {
    const std::string path = (fs::path(options_.goldens) / result.name).string();
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) {
      result.state = PairState::kNew;
      result.reasons = {"there is no golden " + path};
      return keep(actual, result);
    }
    result.golden_path = path;
    Picture golden = read_golden(path, actual, result);
    Picture alike;
    const bool is_tolerant = rule_for(rules_, result.name).tolerance.is_shape_tolerant;
    if (is_tolerant && !same_shape(golden, actual)) make_alike(golden, alike = copy_of(actual));
    const Picture& compared = alike.width > 0 ? alike : actual;
    compare_pair(golden, compared, rules_, options_.measures, result);
    if (result.state == PairState::kSame && !lacks_fingerprint(result)) return;
    keep(actual, result);
    if (result.difference.kind != PictureDifference::Kind::kDifferent) return;
    pending_.keep_diff(result.name, difference_image(golden, compared, result.tolerance));
    result.difference_path = pending_.diff_path(result.name);
  }

  /// One that cannot be read may be replaced: what was drawn is kept.
  Picture read_golden(const std::string& path, const Picture& actual, PairResult& result) {
    try {
      return read_picture(path);
    } catch (const Error&) {
      keep(actual, result);
      throw;
    }
  }

  void keep(const Picture& actual, PairResult& result) {
    pending_.keep_actual(result.name, rendered_image(actual), *actual.metadata);
    result.actual_path = pending_.actual_path(result.name);
  }

  std::vector<std::string> names_kept() const {
    std::vector<std::string> names;
    for (const PairResult& result : run_.results) {
      if (!result.actual_path.empty()) names.push_back(result.name);
    }
    return names;
  }

  /// Those that `accept --prune` removes.
  std::vector<std::string> unused_to_list() const {
    std::vector<std::string> names;
    if (!options_.is_strict) return names;
    std::copy_if(unused_.begin(), unused_.end(), std::back_inserter(names),
                 [](const std::string& name) { return name.ends_with(".png"); });
    return names;
  }

  const RegressOptions& options_;
  const GoldenRules& rules_;
  const std::vector<std::string>& unused_;
  Rasterizer& rasterizer_;
  PendingGoldens pending_;
  const std::vector<Subject>& subjects_;
  ComparisonRun run_;
  const Scene* scene_ = nullptr;  // of source_
  std::optional<FilmSource> source_;
  Circles circles_;
  std::uint64_t waiting_bytes_ = 0;
  tbb::task_group comparisons_;  // the last member: what the tasks use outlives them
};

/// What to do about the results.
void print_advice(const ComparisonRun& run, const RegressOptions& options) {
  std::vector<std::string> kept, unnamed;
  for (const PairResult& result : run.results) {
    if (result.actual_path.empty()) continue;
    (result.state == PairState::kSame ? unnamed : kept).push_back(result.name);
  }
  if (!unnamed.empty()) {
    // By name, however many: --all would take over the failures, too.
    print_out(
        fmt::format("{} {} the right pixels but not the fingerprint of the scene; to "
                    "store it: {}\n",
                    counted(unnamed.size(), "golden"), unnamed.size() == 1 ? "has" : "have",
                    command_to_accept(run, unnamed)));
  }
  if (kept.empty()) return;
  constexpr std::size_t kFew = 10;
  print_out(fmt::format(
      "pictures are in {}, to accept them: {}\n", options.output,
      kept.size() <= kFew ? command_to_accept(run, kept) : run.accept_command + " --all"));
}

std::set<std::string> names_of(const Plan& plan) {
  std::set<std::string> names;
  for (const Subject& subject : plan.subjects) names.insert(subject.name);
  for (const PairResult& result : plan.broken) names.insert(result.name);
  return names;
}

/// Leaves what this share is to do. Films stay in one piece as far as they can.
void keep_share(const Shard& shard, Plan& plan, std::vector<std::string>& unused) {
  const auto count = static_cast<std::int64_t>(plan.subjects.size());
  std::vector<Subject> subjects;
  for (const std::int64_t index : shard_frames(run_of_frames(0, count), shard, true))
    subjects.push_back(plan.subjects[static_cast<std::size_t>(index)]);
  plan.subjects = std::move(subjects);
  if (shard.index == 1) return;
  plan.broken.clear();
  unused.clear();
}

int regress(const RegressOptions& options) {
  set_log_level(options.verbosity);
  const ThreadLimit thread_limit(options.machine.raster.threads);
  check_names(options);
  Plan plan = make_plan(options);
  check_regress_outputs(options, plan.scenes);
  remove_old_results(options.files);
  if (!fs::is_directory(options.goldens)) {
    throw Error(ExitCode::kUsage, fmt::format("--goldens: expected a folder, got {}",
                                              roundel::quoted(options.goldens)));
  }
  const GoldenRules rules = load_rules(options.files, options.goldens, options.tolerance);
  PictureWork work = 0;
  for (const Subject& subject : plan.subjects) {
    const ImageSettings& image = subject.scene->image;
    work += count_parts(*subject.scene) +
            static_cast<PictureWork>(image.width) * static_cast<PictureWork>(image.height);
  }
  const ChosenBackend chosen = choose_backend(options.machine, work);
  const std::unique_ptr<Rasterizer> rasterizer =
      make_rasterizer(chosen.backend, options.machine.raster);
  Problems problems;
  std::vector<std::string> unused = unused_goldens(options.goldens, names_of(plan), rules);
  const std::vector<std::string> unused_by_any_share = unused;
  if (options.shard) keep_share(*options.shard, plan, unused);
  ComparisonRun run = Regression(plan.subjects, options, rules, unused, *rasterizer).run(problems);
  find_renamed(unused_by_any_share, options.goldens, run);
  run.results.insert(run.results.end(), plan.broken.begin(), plan.broken.end());
  if (options.is_strict)
    for (const std::string& name : unused)
      run.results.push_back(missing_picture(name, options.goldens));
  std::sort(run.results.begin(), run.results.end(),
            [](const PairResult& a, const PairResult& b) { return a.name < b.name; });
  const int code = finish_run(run, rules, options.files, options.verbosity);
  if (prints_lines(options.files, options.verbosity)) {
    if (!options.is_strict) print_unused_goldens(unused, options.goldens);
    print_advice(run, options);
    if (options.is_strict && !unused.empty())
      print_out("to remove the goldens of no picture: " + run.accept_command + " --prune\n");
  }
  return problems.empty() ? code : static_cast<int>(kCouldNotCompare);
}

}  // namespace

int run_regress(const Arguments& arguments) {
  RegressOptions options;
  return parse(arguments, options) ? regress(options) : static_cast<int>(kSame);
}

}  // namespace roundel
