#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <new>

#include "renderer/base/error.h"
#include "renderer/compare/compare_folders.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/display_image.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/text.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/export_plan.h"
#include "tools/roundel/machine.h"
#include "tools/roundel/problems.h"
#include "tools/roundel/process.h"
#include "tools/roundel/requirements.h"
#include "tools/roundel/run_report.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Bytes of pictures that may wait for their comparison while the next ones are drawn.
constexpr std::uint64_t kMaxWaitingBytes = std::uint64_t{256} << 20;

/// One picture to draw and to compare.
struct Subject {
  const Scene* scene;
  std::int64_t frame;
  std::string name;  ///< of its golden
};

/// Frames of a film have a folder for each scene: none has the name of another scene's picture.
std::string golden_name(const Scene& scene, std::int64_t frame, bool is_film) {
  const std::string stem = fs::path(scene.path).stem().string();
  return is_film ? fmt::format("{}/{:04}.png", stem, frame) : stem + ".png";
}

void check_name(const std::string& name, const Scene& scene,
                std::map<std::string, std::string>& owners) {
  if (find_non_text(name)) {
    throw Error(ExitCode::kUsage, fmt::format("{}: expected a name in UTF-8 without control "
                                              "characters, which its golden will have too",
                                              printable(scene.path)));
  }
  const auto [owner, is_new] = owners.emplace(name, scene.path);
  if (!is_new) {
    throw Error(ExitCode::kUsage, fmt::format("{} and {} would both have the golden {}",
                                              owner->second, scene.path, name));
  }
}

std::vector<Subject> plan_subjects(const std::vector<Scene>& scenes, const RegressOptions& options,
                                   Problems& problems) {
  std::vector<Subject> subjects;
  std::map<std::string, std::string> owners;  // scene by golden
  const bool is_film = options.frames || options.all_frames;
  for (const Scene& scene : scenes) {
    problems.attempt([&] {
      check_feasible(scene, ImageFormat::kPng, options.machine.raster.memory_budget);
      for (const std::int64_t frame :
           frames_of(scene, options.frames, options.all_frames, scene.default_frame())) {
        subjects.push_back({&scene, frame, golden_name(scene, frame, is_film)});
        check_name(subjects.back().name, scene, owners);
      }
    });
  }
  return subjects;
}

/// Draws the subjects in order and compares each while the next ones are drawn.
class Regression {
 public:
  Regression(const RegressOptions& options, const GoldenRules& rules, Rasterizer& rasterizer)
      : options_(options),
        rules_(rules),
        rasterizer_(rasterizer),
        pending_(options.output, options.goldens) {}

  ComparisonRun run(const std::vector<Subject>& subjects) {
    run_.title = fmt::format("regress {}", options_.goldens);
    run_.accept_command = accept_command();
    run_.results.resize(subjects.size());
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      run_.results[i].name = subjects[i].name;
      guard(run_.results[i], [&] { draw(subjects[i], run_.results[i]); });
    }
    comparisons_.wait();
    pending_.finish(names_kept());
    std::sort(run_.results.begin(), run_.results.end(),
              [](const PairResult& a, const PairResult& b) { return a.name < b.name; });
    return std::move(run_);
  }

  std::string accept_command() const {
    std::string command = "roundel accept";
    if (options_.output != kRegressOutput) command += " --output " + shell_word(options_.output);
    return command;
  }

 private:
  template <typename Work>
  static void guard(PairResult& result, const Work& work) {
    const auto fail = [&result](const std::string& reason) {
      result.state = PairState::kNotCompared;
      result.reasons = {reason};
    };
    try {
      work();
    } catch (const Error& error) {
      fail(error.what());
    } catch (const std::bad_alloc&) {
      fail("out of memory");
    }
  }

  void draw(const Subject& subject, PairResult& result) {
    if (scene_ != subject.scene) {
      scene_ = nullptr;
      renderer_.emplace(*subject.scene, rasterizer_);
      fingerprint_ = fingerprint(*subject.scene);
      scene_ = subject.scene;
    }
    Image image;
    StageStats stats;
    renderer_->render(subject.frame, image, stats);
    const std::uint64_t bytes = image.bytes.size();
    if (waiting_bytes_ + bytes > kMaxWaitingBytes) {
      comparisons_.wait();
      waiting_bytes_ = 0;
    }
    waiting_bytes_ += bytes;
    const auto actual = std::make_shared<const Picture>(
        picture_of(std::move(image),
                   {"roundel " ROUNDEL_VERSION, fingerprint_, subject.scene->seed, subject.frame}));
    comparisons_.run([this, &result, actual] { guard(result, [&] { compare(*actual, result); }); });
  }

  void compare(const Picture& actual, PairResult& result) const {
    const std::string path = (fs::path(options_.goldens) / result.name).string();
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) {
      result.state = PairState::kNew;
      result.reasons = {"there is no golden " + path};
      return keep(actual, result);
    }
    result.golden_path = path;
    const Picture golden = read_golden(path, actual, result);
    compare_pair(golden, actual, rules_, options_.measures, result);
    if (result.state == PairState::kSame && !lacks_fingerprint(result)) return;
    keep(actual, result);
    if (result.difference.kind != PictureDifference::Kind::kDifferent) return;
    pending_.keep_diff(result.name, difference_image(golden, actual, result.max_delta));
  }

  /// One that cannot be read may be replaced: what was drawn is kept.
  Picture read_golden(const std::string& path, const Picture& actual, PairResult& result) const {
    try {
      return read_picture(path);
    } catch (const Error&) {
      keep(actual, result);
      throw;
    }
  }

  void keep(const Picture& actual, PairResult& result) const {
    pending_.keep_actual(result.name, display_image(actual), *actual.metadata);
    result.actual_path = pending_.actual_path(result.name);
  }

  std::vector<std::string> names_kept() const {
    std::vector<std::string> names;
    for (const PairResult& result : run_.results) {
      if (!result.actual_path.empty()) names.push_back(result.name);
    }
    return names;
  }

  const RegressOptions& options_;
  const GoldenRules& rules_;
  Rasterizer& rasterizer_;
  PendingGoldens pending_;
  ComparisonRun run_;
  const Scene* scene_ = nullptr;  // of renderer_ and fingerprint_
  std::string fingerprint_;
  std::optional<FrameRenderer> renderer_;
  std::uint64_t waiting_bytes_ = 0;
  tbb::task_group comparisons_;  // the last member: what the tasks use outlives them
};

/// What to do about the results.
void print_advice(const ComparisonRun& run, const RegressOptions& options) {
  std::string to_accept;
  std::size_t kept = 0, unnamed = 0;
  for (const PairResult& result : run.results) {
    if (result.actual_path.empty()) continue;
    if (result.state == PairState::kSame) {
      ++unnamed;
    } else {
      ++kept;
      to_accept += " " + shell_word(result.name);
    }
  }
  if (unnamed > 0) {
    print_out(
        fmt::format("{} golden{} the right pixels but not the fingerprint of the scene; to "
                    "store it: {} --all\n",
                    unnamed, unnamed == 1 ? " has" : "s have", run.accept_command));
  }
  if (kept == 0) return;
  constexpr std::size_t kFew = 10;
  print_out(fmt::format("pictures are in {}, to accept them: {}{}\n", options.output,
                        run.accept_command, kept <= kFew ? to_accept : " --all"));
}

/// Of scenes that were renamed or deleted, or just not given.
void print_other_goldens(const ComparisonRun& run, const RegressOptions& options) {
  std::string names;
  std::size_t count = 0;
  constexpr std::size_t kFew = 5;
  for (const std::string& name : list_pictures(options.goldens).pictures) {
    const auto at = std::lower_bound(
        run.results.begin(), run.results.end(), name,
        [](const PairResult& result, const std::string& other) { return result.name < other; });
    if ((at != run.results.end() && at->name == name) || ++count > kFew) continue;
    names += (names.empty() ? "" : ", ") + printable(name);
  }
  if (count == 0) return;
  print_out(fmt::format("{} in {} of no picture of this run: {}{}\n",
                        count == 1 ? "1 golden" : fmt::format("{} goldens", count), options.goldens,
                        names, count > kFew ? ", …" : ""));
}

int regress(const RegressOptions& options) {
  set_log_level(options.verbosity);
  const ThreadLimit thread_limit(options.machine.raster.threads);
  if (!fs::is_directory(options.goldens)) {
    throw Error(ExitCode::kUsage, fmt::format("--goldens: expected a folder, got {}",
                                              roundel::quoted(options.goldens)));
  }
  const GoldenRules rules = load_rules(options.files, options.goldens, options.tolerance);
  Problems problems;
  const std::vector<Scene> scenes = load_scenes(options.scenes, options.scene.overrides, problems);
  const std::vector<Subject> subjects = plan_subjects(scenes, options, problems);
  if (!problems.empty()) return kCouldNotCompare;

  PictureWork work = 0;
  for (const Subject& subject : subjects) {
    const ImageSettings& image = subject.scene->image;
    work += count_circles(*subject.scene) +
            static_cast<PictureWork>(image.width) * static_cast<PictureWork>(image.height);
  }
  const ChosenBackend chosen = choose_backend(options.machine, work);
  spdlog::debug("backend {}: {}", backend_name(chosen.backend), chosen.reason);
  const std::unique_ptr<Rasterizer> rasterizer =
      make_rasterizer(chosen.backend, options.machine.raster);
  const ComparisonRun run = Regression(options, rules, *rasterizer).run(subjects);
  const int code = finish_run(run, rules, options.files, options.verbosity);
  const bool prints = options.verbosity != Verbosity::kQuiet && options.files.json != "-";
  if (prints) {
    print_other_goldens(run, options);
    print_advice(run, options);
  }
  return code;
}

}  // namespace

int run_regress(const Arguments& arguments) {
  return run_comparing([&] {
    RegressOptions options;
    return parse(arguments, options) ? regress(options) : static_cast<int>(kSame);
  });
}

}  // namespace roundel
