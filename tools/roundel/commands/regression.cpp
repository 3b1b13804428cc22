#include "tools/roundel/commands/regression.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "renderer/base/error.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/compare/alike_pictures.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/frame_encoder.h"
#include "renderer/generate/generate.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

std::uint64_t threads() {
  return static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
}

/// Bytes of pictures that may wait for their comparison while the next ones are drawn.
constexpr std::uint64_t kMaxWaitingBytes = std::uint64_t{256} << 20;

/// Circles and pixels of a picture that a thread may draw alone, while others draw theirs, and the
/// memory that does for it.
constexpr std::uint64_t kSmallPicture = std::uint64_t{1} << 18;
constexpr std::uint64_t kSmallPictureBytes = std::uint64_t{64} << 20;
/// Frames of a film that a thread draws one after the other, as far as they are not simulated.
constexpr std::size_t kFramesTogether = 16;

/// Draws subjects one after the other. Those of one scene should be next to each other.
class SubjectDrawer {
 public:
  SubjectDrawer(Backend backend, const RasterOptions& options)
      : rasterizer_(make_rasterizer(backend, options)) {}

  Picture draw(const Subject& subject) {
    if (scene_ != subject.scene) {
      scene_ = nullptr;
      source_.emplace(*subject.scene);
      scene_ = subject.scene;
    }
    const FilmSource::Frame now = source_->at(subject.frame);
    Image image;
    StageStats stats;
    draw_image(*rasterizer_, now.circles->at(subject.frame, circles_), subject.scene->image, image,
               stats);
    return picture_of(std::move(image),
                      {kSoftware, fingerprint(*now.scene), subject.scene->seed, subject.frame});
  }

 private:
  std::unique_ptr<Rasterizer> rasterizer_;
  const Scene* scene_ = nullptr;  // of source_
  std::optional<FilmSource> source_;
  Circles circles_;
};

/// What a thread draws small pictures with. It has its arena for itself: what it waits for is never
/// another picture.
struct SmallDrawer {
  tbb::task_arena arena{1};
  SubjectDrawer drawer;
};

/// Counts its life as a result's time.
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

/// Draws the subjects and compares each with its golden.
class Regression {
 public:
  Regression(const std::vector<Subject>& subjects, const RegressOptions& options,
             const GoldenRules& rules, const std::vector<std::string>& unused, Backend backend)
      : options_(options),
        rules_(rules),
        unused_(unused),
        backend_(backend),
        pending_(options.output, options.goldens, names_of(subjects)),
        subjects_(subjects) {
    if (pending_.leftover_problem().empty()) return;
    spdlog::warn("{}; pictures of an earlier run may stay in {}", pending_.leftover_problem(),
                 options.output);
  }

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
    }
    std::vector<Run> small, large;
    divide(small, large);
    draw_small(small);
    draw_large(large);
    problems.attempt([&] { pending_.finish(names_kept(), unused_to_list()); });
    return std::move(run_);
  }

 private:
  /// Subjects of one scene, one after the other.
  struct Run {
    std::size_t begin, end;
  };

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
      result.state = PairState::kNotCompared;
      result.reasons = {current_error().what()};
    }
  }

  void divide(std::vector<Run>& small, std::vector<Run>& large) const {
    // With too little memory for several, and on a device, one picture is drawn at a time.
    const std::uint64_t budget = options_.machine.raster.memory_budget;
    const bool has_several =
        backend_ == Backend::kCpu && (budget == 0 || budget / threads() >= kSmallPictureBytes);
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
      return SmallDrawer{tbb::task_arena(1), SubjectDrawer(backend_, options)};
    });
    tbb::parallel_for(std::size_t{0}, runs.size(), [&](std::size_t i) {
      SmallDrawer& small = drawers.local();
      small.arena.execute([&] {
        for (std::size_t k = runs[i].begin; k < runs[i].end; ++k)
          guard(run_.results[k], [&] { compare(draw(small.drawer, k), run_.results[k]); });
      });
    });
  }

  /// One after the other; each is compared while the next ones are drawn.
  void draw_large(const std::vector<Run>& runs) {
    if (runs.empty()) return;
    SubjectDrawer drawer(backend_, options_.machine.raster);
    std::uint64_t waiting_bytes = 0;
    tbb::task_group comparisons;
    for (const Run& run : runs) {
      for (std::size_t k = run.begin; k < run.end; ++k) {
        PairResult& result = run_.results[k];
        guard(result, [&] {
          const auto actual = std::make_shared<const Picture>(draw(drawer, k));
          if (waiting_bytes + actual->bytes.size() > kMaxWaitingBytes) {
            comparisons.wait();
            waiting_bytes = 0;
          }
          waiting_bytes += actual->bytes.size();
          comparisons.run(
              [this, &result, actual] { guard(result, [&] { compare(*actual, result); }); });
        });
      }
    }
    comparisons.wait();
  }

  Picture draw(SubjectDrawer& drawer, std::size_t index) {
    const AddedTime time(run_.results[index]);
    return drawer.draw(subjects_[index]);
  }

  void compare(const Picture& actual, PairResult& result) {
    const AddedTime time(result);
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
  Backend backend_;
  PendingGoldens pending_;
  const std::vector<Subject>& subjects_;
  ComparisonRun run_;
};

}  // namespace

ComparisonRun draw_and_compare(const std::vector<Subject>& subjects, const RegressOptions& options,
                               const GoldenRules& rules, const std::vector<std::string>& unused,
                               Backend backend, Problems& problems) {
  return Regression(subjects, options, rules, unused, backend).run(problems);
}

}  // namespace roundel
