#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "renderer/base/cores.h"
#include "renderer/base/error.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/description.h"
#include "renderer/frame_encoder.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/warnings.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/regress_run.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

std::uint64_t threads() {
  return static_cast<std::uint64_t>(
      std::min(tbb::this_task_arena::max_concurrency(), core_quota()));
}

/// Bytes of pictures that may wait for their comparison while the next ones are drawn.
constexpr std::uint64_t kMaxWaitingBytes = std::uint64_t{256} << 20;

/// Maximal circles and pixels of a picture that a thread draws alone while others draw theirs, and
/// the memory for it.
constexpr std::uint64_t kSmallPicture = std::uint64_t{1} << 18;
constexpr std::uint64_t kSmallPictureBytes = std::uint64_t{64} << 20;
/// Frames of a film that a thread draws in a row, unless they are simulated.
constexpr std::size_t kFramesTogether = 16;

struct DrawnPicture : Picture {
  std::vector<std::uint8_t> file;  ///< an EXR; a PNG is encoded when it is kept

  std::uint64_t size() const { return bytes.size() + floats.size() * sizeof(float) + file.size(); }
};

/// Draws subjects in order. Subjects of one scene should be adjacent.
class SubjectDrawer {
 public:
  SubjectDrawer(const RegressMachine& machine, const RasterOptions& options) {
    for (const Backend backend : machine.backends)
      rasterizers_.push_back(machine.make(backend, options));
  }

  /// Returns the picture as each backend draws it.
  std::vector<DrawnPicture> draw(const Subject& subject) {
    if (scene_ != subject.scene) {
      scene_ = nullptr;
      source_.emplace(*subject.scene);
      scene_ = subject.scene;
    }
    const FilmSource::Frame now = source_->at(subject.frame);
    const CircleStream circles = now.circles->at(subject.frame, circles_);
    std::vector<DrawnPicture> drawn;
    for (const auto& rasterizer : rasterizers_)
      drawn.push_back(subject.name.ends_with(".exr")
                          ? draw_exr(*rasterizer, circles, *now.scene, subject)
                          : draw_png(*rasterizer, circles, *now.scene, subject));
    return drawn;
  }

 private:
  static DrawnPicture draw_png(Rasterizer& rasterizer, const CircleStream& circles,
                               const Scene& scene, const Subject& subject) {
    Image image;
    StageStats stats;
    rasterizer.draw(circles, subject.scene->image, image, stats);
    return {picture_of(std::move(image), {kSoftware, fingerprint(scene), subject.scene->seed,
                                          subject.frame, axes_text(scene)}),
            {}};
  }

  /// Writes the picture to a file and reads it again: colours, alpha and place are the file's.
  static DrawnPicture draw_exr(Rasterizer& rasterizer, const CircleStream& circles,
                               const Scene& scene, const Subject& subject) {
    const FrameEncoder encoder(scene, {ImageFormat::kExr});
    FramePixels pixels;
    StageStats stats;
    rasterizer.draw(circles, subject.scene->image, encoder.target(pixels), stats);
    std::vector<std::uint8_t> file = encoder.encode(pixels, subject.frame, true);
    Picture picture = decode_picture(subject.name, std::as_bytes(std::span(file)));
    return {std::move(picture), std::move(file)};
  }

  std::vector<std::unique_ptr<Rasterizer>> rasterizers_;
  const Scene* scene_ = nullptr;  // the scene of source_
  std::optional<FilmSource> source_;
  Circles circles_;
};

/// A thread's rasterizers for small pictures. It has its own arena, so that waiting never starts
/// another picture.
struct SmallDrawer {
  tbb::task_arena arena{1};
  SubjectDrawer drawer;
};

/// Adds its lifetime to a result's time.
class AddedTime {
 public:
  explicit AddedTime(PairResult& result) : result_(result) {}
  ~AddedTime() { result_.seconds += watch_.seconds(); }
  AddedTime(const AddedTime&) = delete;
  AddedTime& operator=(const AddedTime&) = delete;

 private:
  PairResult& result_;
  Stopwatch watch_;
};

class Regression {
 public:
  Regression(const std::vector<Subject>& subjects, const RegressOptions& options,
             const GoldenRules& rules, const StoredGoldens& stored, const RegressMachine& machine)
      : options_(options),
        rules_(rules),
        stored_(stored),
        machine_(machine),
        pending_(
            options.output, options.goldens, names_of(subjects),
            draws_all(options) ? PendingGoldens::Others::kRemove : PendingGoldens::Others::kKeep),
        subjects_(subjects),
        others_(alternatives_by_picture(stored.files)),
        measures_(options.measures) {
    measures_.places = options.files.report.has_value();
    warn_about_leftovers(pending_);
  }

  ComparisonRun run(Problems& problems) {
    run_.title = fmt::format("regress {}", options_.goldens);
    run_.golden_folder = options_.goldens;
    run_.output_folder = options_.output;
    if (options_.shard) run_.share = options_.shard->index, run_.shares = options_.shard->count;
    run_.kept_rows_before = pending_.kept_rows_before();
    run_.results.resize(subjects_.size());
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      run_.results[i].name = subjects_[i].name;
      run_.results[i].scene_path = subjects_[i].scene->path;
    }
    std::vector<Run> small, large;
    divide(small, large);
    draw_small(small);
    draw_large(large);
    problems.attempt([&] { print_warnings(warnings_about_new()); });
    problems.attempt([&] { finish(unused_to_list()); });
    run_.accept_command = accept_command(options_.output, options_.goldens);
    return std::move(run_);
  }

 private:
  /// Adjacent subjects of one scene.
  struct Run {
    std::size_t begin, end;
  };

  /// Returns true if the given scenes are all scenes.
  static bool draws_all(const RegressOptions& options) {
    return options.is_strict && !options.shard;
  }

  Lines warnings_about_new() const {
    SceneWarnings warnings;
    Lines lines;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (run_.results[i].state != PairState::kNew) continue;
      const Subject& subject = subjects_[i];
      const FilmSource::Frame now = FilmSource(*subject.scene).at(subject.frame);
      Circles memory;
      const CircleSample sample =
          sample_circles(now.circles->at(subject.frame, memory), now.scene->image);
      lines += with_path(*now.scene, warnings.about({*now.scene, subject.frame,
                                                     format_of(subject.name), sample, 1}));
    }
    return lines;
  }

  /// Lists the goldens to prune.
  void finish(const std::vector<std::string>& unused) {
    pending_.list_unused(unused);
    if (!unused.empty()) confirm_golden_folder(options_.goldens);
  }

  static std::vector<std::string> names_of(const std::vector<Subject>& subjects) {
    std::vector<std::string> names(subjects.size());
    std::transform(subjects.begin(), subjects.end(), names.begin(),
                   [](const Subject& subject) { return subject.name; });
    return names;
  }

  template <typename Work>
  static void guard(PairResult& result, const Work& work) {
    try {
      work();
    } catch (...) {
      result.state = PairState::kNotCompared;  // a difference that was found stays a reason
      const Lines problem = current_error().lines();
      result.reasons.insert(result.reasons.end(), problem.begin(), problem.end());
    }
  }

  void divide(std::vector<Run>& small, std::vector<Run>& large) const {
    // With too little memory for several, and on a device, one picture is drawn at a time.
    const std::uint64_t budget = options_.machine.raster.memory_budget;
    const bool has_several = machine_.backends == std::vector{Backend::kCpu} &&
                             (budget == 0 || budget / threads() >= kSmallPictureBytes);
    for (std::size_t begin = 0, end = 0; begin < subjects_.size(); begin = end) {
      const Scene& scene = *subjects_[begin].scene;
      const bool is_small =
          has_several &&
          count_parts(scene) + pixel_count(scene.image.width, scene.image.height) <= kSmallPicture;
      const bool goes_on = std::any_of(scene.layers.begin(), scene.layers.end(),
                                       [](const Layer& layer) { return is_simulated(layer); });
      const std::size_t most = is_small && !goes_on ? kFramesTogether : subjects_.size();
      while (end < subjects_.size() && end - begin < most && subjects_[end].scene == &scene) ++end;
      (is_small ? small : large).push_back({begin, end});
    }
  }

  void draw_small(const std::vector<Run>& runs) {
    RasterOptions options = options_.machine.raster;
    options.threads = 1;
    options.memory_budget /= threads();
    tbb::enumerable_thread_specific<SmallDrawer> drawers([&] {
      return SmallDrawer{tbb::task_arena(1), SubjectDrawer(machine_, options)};
    });
    tbb::parallel_for(std::size_t{0}, runs.size(), [&](std::size_t i) {
      SmallDrawer& small = drawers.local();
      small.arena.execute([&] {
        for (std::size_t k = runs[i].begin; k < runs[i].end; ++k)
          guard(run_.results[k], [&] { draw_and_compare(small.drawer, k); });
      });
    });
  }

  /// Draws the pictures in order; each is compared while the next ones are drawn.
  void draw_large(const std::vector<Run>& runs) {
    if (runs.empty()) return;
    SubjectDrawer drawer(machine_, options_.machine.raster);
    std::uint64_t waiting_bytes = 0;
    tbb::task_group comparisons;
    for (const Run& run : runs) {
      for (std::size_t k = run.begin; k < run.end; ++k) {
        PairResult& result = run_.results[k];
        guard(result, [&] {
          if (options_.retries > 0) return draw_and_compare(drawer, k);
          const auto drawn = std::make_shared<std::vector<DrawnPicture>>(draw(drawer, k));
          const std::uint64_t bytes = drawn->size() * drawn->front().size();
          if (waiting_bytes + bytes > kMaxWaitingBytes) {
            comparisons.wait();
            waiting_bytes = 0;
          }
          waiting_bytes += bytes;
          comparisons.run([this, &result, drawn] {
            guard(result, [&] { compare(std::move(*drawn), result, {}); });
          });
        });
      }
    }
    comparisons.wait();
  }

  using Redraw = std::function<std::vector<DrawnPicture>()>;

  std::vector<DrawnPicture> draw(SubjectDrawer& drawer, std::size_t index) {
    const AddedTime time(run_.results[index]);
    return drawer.draw(subjects_[index]);
  }

  void draw_and_compare(SubjectDrawer& drawer, std::size_t index) {
    compare(draw(drawer, index), run_.results[index],
            [&] { return drawer.draw(subjects_[index]); });
  }

  std::string path_of_golden(const std::string& name) const {
    return (fs::path(options_.goldens) / name).string();
  }

  struct Goldens {
    std::vector<std::string> paths;
    const LockedGolden* locked = nullptr;  ///< if the first one is no picture
  };
  Goldens goldens_of(const std::string& name) const {
    Goldens goldens;
    std::error_code ignored;
    const std::string path = path_of_golden(name);
    if (fs::exists(fs::symlink_status(path, ignored))) {
      goldens.paths.push_back(path);
    } else if (const auto locked = stored_.lock.find(name); locked != stored_.lock.end()) {
      goldens.locked = &locked->second;
    }
    if (const auto others = others_.find(name); others != others_.end())
      for (const std::string& other : others->second)
        goldens.paths.push_back(path_of_golden(other));
    return goldens;
  }

  /// The comparison of a picture by each backend with its goldens.
  struct Verdict {
    GoldenTrial trial;
    std::size_t shown = 0;  ///< backend of the trial
  };
  Verdict judge(const Goldens& goldens, const std::vector<DrawnPicture>& drawn,
                PairResult& result) {
    Verdict verdict{attempt(goldens, drawn.front(), result)};
    if (!same_pixels(drawn.front(), drawn.back()))
      join(verdict, attempt(goldens, drawn.back(), result));
    return verdict;
  }

  /// Draws a differing picture again up to this many times; if it matches once, it passes with a
  /// warning.
  void retry(const Goldens& goldens, const Redraw& redraw, std::vector<DrawnPicture>& drawn,
             Verdict& verdict, PairResult& result) {
    for (int i = 1; i <= options_.retries; ++i) {
      if (verdict.trial.result.state != PairState::kDiffers) return;
      std::vector<DrawnPicture> again = redraw();
      Verdict next = judge(goldens, again, result);
      if (next.trial.result.state != PairState::kSame) continue;
      next.trial.result.reasons.push_back(
          fmt::format("drawn {} times; the earlier ones differed", i + 1));
      print_warning(fmt::format(
          "{}: the same only when drawn again; this machine does not always draw the same",
          result.name));
      drawn = std::move(again);
      verdict = std::move(next);
    }
  }

  /// `drawn`: by each backend. `redraw`: draws it again.
  void compare(std::vector<DrawnPicture> drawn, PairResult& result, const Redraw& redraw) {
    const AddedTime time(result);
    const Goldens goldens = goldens_of(result.name);
    if (goldens.paths.empty() && goldens.locked == nullptr) {
      result.state = PairState::kNew;
      result.reasons = {"there is no golden " + path_of_golden(result.name)};
      if (!same_pixels(drawn.front(), drawn.back()))
        result.reasons.emplace_back("cpu and cuda have drawn different pixels");
      return keep(drawn.front(), result);
    }
    if (!goldens.paths.empty()) result.golden_path = goldens.paths.front();
    Verdict verdict = judge(goldens, drawn, result);
    retry(goldens, redraw, drawn, verdict, result);
    GoldenTrial& trial = verdict.trial;
    const DrawnPicture& shown = drawn[verdict.shown];
    trial.result.scene_path = std::move(result.scene_path);
    trial.result.seconds = result.seconds;
    result = std::move(trial.result);
    const bool is_right = result.state == PairState::kSame && !lacks_fingerprint(result);
    if (is_right && !options_.keeps_same) return;
    keep(shown, result);
    if (!has_difference_image(result.difference)) return;
    pending_.keep_diff(result.name,
                       difference_image(trial.golden, trial.compared(shown), result.tolerance));
    result.difference_path = pending_.diff_path(result.name);
  }

  /// For two backends that drew different pixels: the verdict becomes that of the first one that
  /// differs from the golden; its reasons name the backends.
  void join(Verdict& first, GoldenTrial second) {
    const auto name_backend = [](GoldenTrial& of, Backend backend) {
      for (std::string& reason : of.result.reasons)
        reason = fmt::format("on {}: {}", backend_name(backend), reason);
    };
    name_backend(first.trial, machine_.backends.front());
    name_backend(second, machine_.backends.back());
    if (first.trial.result.state == PairState::kSame) {
      first = {std::move(second), machine_.backends.size() - 1};
      return;
    }
    std::vector<std::string>& reasons = first.trial.result.reasons;
    reasons.insert(reasons.end(), second.result.reasons.begin(), second.result.reasons.end());
  }

  /// Keeps the drawn picture if the golden cannot be read, so that it can be replaced; a golden in
  /// Git LFS that was not fetched stays.
  GoldenTrial attempt(const Goldens& goldens, const DrawnPicture& drawn, PairResult& result) {
    if (goldens.locked != nullptr) {
      GoldenTrial trial = try_locked(result, *goldens.locked, options_.goldens, drawn);
      if (trial.result.state == PairState::kSame || goldens.paths.empty()) return trial;
    }
    try {
      return try_goldens(result, goldens.paths, drawn, rules_, measures_);
    } catch (const Error&) {
      if (std::none_of(goldens.paths.begin(), goldens.paths.end(), is_lfs_pointer))
        keep(drawn, result);
      throw;
    }
  }

  /// Keeps the picture, and confirms the folder of goldens for accept.
  void keep(const DrawnPicture& actual, PairResult& result) {
    if (actual.file.empty()) {
      pending_.keep_actual(result.name, rendered_image(actual), *actual.metadata);
    } else {
      pending_.keep_actual(result.name, actual.file);
    }
    result.actual_path = pending_.actual_path(result.name);
    confirm_golden_folder(options_.goldens);
  }

  /// Returns the goldens that `accept --prune` removes.
  std::vector<std::string> unused_to_list() const {
    std::vector<std::string> names;
    if (!options_.is_strict) return names;
    std::copy_if(stored_.unused.begin(), stored_.unused.end(), std::back_inserter(names),
                 [](const std::string& name) { return is_acceptable(name); });
    return names;
  }

  const RegressOptions& options_;
  const GoldenRules& rules_;
  const StoredGoldens& stored_;
  const RegressMachine& machine_;
  PendingGoldens pending_;
  const std::vector<Subject>& subjects_;
  std::map<std::string, std::vector<std::string>> others_;  // alternative goldens of each picture
  Measures measures_;
  ComparisonRun run_;
};

}  // namespace

ComparisonRun draw_and_compare(const std::vector<Subject>& subjects, const RegressOptions& options,
                               const GoldenRules& rules, const StoredGoldens& stored,
                               const RegressMachine& machine, Problems& problems) {
  return Regression(subjects, options, rules, stored, machine).run(problems);
}

}  // namespace roundel
