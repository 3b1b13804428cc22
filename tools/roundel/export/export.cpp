#include "tools/roundel/export/export.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "renderer/generate/generate.h"
#include "renderer/sequence/export_pipeline.h"
#include "renderer/sequence/split_rasterizer.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/surprises.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/export/plan.h"
#include "tools/roundel/export/ranks.h"
#include "tools/roundel/export/report.h"
#include "tools/roundel/export/split_ranks.h"

namespace roundel {
namespace {

constexpr double kTickSeconds = 0.1;  ///< how often signals and the progress are looked after
constexpr int kSignalled = 128;       ///< exit codes of signals are this and their number

/// Those of `wanted` that are not in `made`; both rise.
FrameList without(const FrameList& wanted, const FrameList& made) {
  FrameList rest;
  std::set_difference(wanted.begin(), wanted.end(), made.begin(), made.end(),
                      std::back_inserter(rest));
  return rest;
}

/// What a rank threw: an exit code and what to print; 0 where all went well.
struct Failure {
  int exit_code = 0;
  std::string text;
};

/// In a catch clause.
Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {static_cast<int>(error.exit_code()), error.what()};
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(ExitCode::kRuntimeFailure), "out of memory"};
  } catch (const std::exception& error) {
    return {static_cast<int>(ExitCode::kRuntimeFailure),
            std::string("unexpected failure: ") + error.what()};
  }
}

void print_failure(const Failure& failure) {
  print_error(Error(static_cast<ExitCode>(failure.exit_code), failure.text));
}

/// For the first rank: prints what others threw. `own`: what was printed already for this rank,
/// which is not said again for each of them.
void print_problems_of_others(Ranks& ranks, const std::string& own) {
  for (const RankProblem& problem : ranks.take_problems()) {
    if (problem.text == own) continue;
    std::string text = fmt::format("rank {}: {}", problem.rank, problem.text);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      text.insert(at + 1, fmt::format("rank {}: ", problem.rank));
    }
    print_failure({problem.exit_code, text});
  }
}

/// Remembers which frames were drawn from the ranks' list.
class DrawnFrames final : public FrameSource {
 public:
  explicit DrawnFrames(Ranks& ranks) : ranks_(ranks) {}
  std::optional<std::int64_t> next() override {
    const auto frame = ranks_.next();
    if (!frame) return frame;
    drawn_.push_back(*frame);
    ahead_.push(*frame);
    return frame;
  }
  FramesAhead& ahead() { return ahead_; }
  /// Drawn, but neither written nor failed.
  FrameList unfinished(const ExportResult& result) const {
    FrameList drawn = drawn_, ended = result.written;
    for (const FailedFrame& failed : result.failed) ended.push_back(failed.frame);
    std::sort(drawn.begin(), drawn.end());
    std::sort(ended.begin(), ended.end());
    return without(drawn, ended);
  }

 private:
  Ranks& ranks_;
  FrameList drawn_;
  FramesAhead ahead_;  ///< for frames in bands
};

/// One rank's part of an export.
class Exporter {
 public:
  /// Throws Error for what is wrong with the command line or the scene.
  Exporter(const RenderOptions& options, Ranks& ranks)
      : options_(options),
        ranks_(ranks),
        threads_(threads_of(options.machine.raster.threads, ranks.local())),
        thread_limit_(threads_),
        scene_(load_scene(options.scenes.front(), options.scene.overrides)),
        plan_(plan_export(scene_, options)),
        encoder_(scene_, plan_.format, options.sequence.pixels),
        frames_(ranks),
        progress_(progress_format()) {
    if (!is_stream(options)) {
      sink_ = std::make_unique<FileSink>(plan_.name);
    } else if (ranks.count() == 1) {
      sink_ = std::make_unique<StreamSink>(STDOUT_FILENO, encoder_.stream_header());
    } else {
      throw Error(ExitCode::kUsage, "--output: expected files for several ranks, not \"-\"");
    }
  }

  /// For the first rank: looks at the files that are there already.
  FramesToMake find_work() {
    if (is_stream(options_)) return {plan_.frames, 0, {}, {}};
    FramesToMake work = frames_to_make(plan_, scene_, options_);
    kept_ = work.kept;
    taken_ = work.taken;
    return work;
  }

  /// Makes frames until none is left, or a signal asks to stop.
  ExportResult run() {
    ExportJob job{scene_, frames_, encoder_, *sink_, join_bands(rasterizers())};
    job.encoders = threads_;
    job.memory_budget = options_.machine.raster.memory_budget / 2;
    job.on_written = [this](std::int64_t frame, std::uint64_t /*bytes*/) {
      progress_.frame_written(frame, sink_->name(frame));
    };
    ExportPipeline pipeline(std::move(job));
    pipeline.start();
    bool stopping = false;
    while (!pipeline.wait_for(kTickSeconds)) {
      if (stop_signal() != 0 && !std::exchange(stopping, true)) {
        pipeline.stop();
        ranks_.stop();
      }
      own_ = pipeline.counts();
      ranks_.note(own_);
      print_problems_of_others(ranks_, "");
      progress_.update(state());
    }
    own_ = pipeline.counts();
    ranks_.note(own_);
    return pipeline.finish();
  }

  /// For the other ranks, where each makes a band of every frame.
  void run_bands() { draw_ordered_bands(scene_, encoder_.wants_float(), ranks_, rasterizers()); }

  /// For the first rank: shows the progress until the others have ended. `own`: what this rank has
  /// printed of its own failure.
  void wait_for_others(const std::string& own) {
    while (!ranks_.wait_for_others(kTickSeconds)) {
      if (stop_signal() != 0) ranks_.stop();
      print_problems_of_others(ranks_, own);
      progress_.update(state());
    }
    print_problems_of_others(ranks_, own);
  }

  /// For the first rank: what people want to know at the end.
  void print_summary(const ExportResult& result) {
    progress_.finish(state());
    const ExportReport report{scene_,
                              options_.output.value_or(scene_.output.value_or("")),
                              backend_name(backend_.backend),
                              rasterizers_,
                              kept_,
                              taken_.size() - without(taken_, result.written).size(),
                              result};
    if (options_.verbosity != Verbosity::kQuiet) {
      print_err(export_summary(report));
      warn_about(result);
    }
    if (options_.stats == StatsFormat::kTable) print_err(export_stats_table(report));
    if (options_.stats == StatsFormat::kJson) print_out(export_stats_json(report));
  }

  FrameList unfinished(const ExportResult& result) const { return frames_.unfinished(result); }

 private:
  /// About the film as a whole, once.
  void warn_about(const ExportResult& result) const {
    const bool is_float = encoder_.wants_float();
    CircleSample sample;  // simulated circles have sizes and colours that nobody chose
    constexpr std::size_t kManyFrames = 10;  // beside which one frame's circles take no time
    const bool is_cheap = makes_circles_on_the_way(scene_) || result.written.size() >= kManyFrames;
    if (!CircleSource(scene_).is_simulated() && is_cheap) sample = sample_circles(scene_, 0);
    warn(scene_, surprises(scene_, is_float ? ImageFormat::kExr : ImageFormat::kPng, sample));
    const FrameList& frames = plan_.frames;
    warn(scene_, {nothing_moves(scene_, frames.size())});
    if (!result.written.empty())
      warn(scene_, {nothing_to_see(scene_, result.written.front(), result.stages.overlaps)});
  }

  std::vector<std::unique_ptr<Rasterizer>> rasterizers() {
    if (rasterizers_ == 0) backend_ = choose_backend(options_.machine);
    spdlog::debug("backend {}: {}", backend_name(backend_.backend), backend_.reason);
    let_signals_ask();
    const int threads = threads_ > 0 ? threads_ : tbb::this_task_arena::max_concurrency();
    const std::size_t frames = plan_.frames.size() / static_cast<std::size_t>(ranks_.count());
    const int at_once = options_.sequence.split_frame
                            ? 1
                            : frames_at_once(scene_, plan_, backend_.backend, frames, threads,
                                             options_.machine.raster.memory_budget);
    MachineOptions machine = options_.machine;
    if (backend_.backend == Backend::kCpu) machine.raster.memory_budget /= 2;  // see run()
    auto made = make_rasterizers(backend_.backend, machine, ranks_.local(), at_once);
    rasterizers_ = made.size();
    return made;
  }

  /// With --split-frame a single rasterizer that stands for all of them, here and on other ranks.
  std::vector<std::unique_ptr<Rasterizer>> join_bands(
      std::vector<std::unique_ptr<Rasterizer>> all) {
    if (!options_.sequence.split_frame || (all.size() == 1 && ranks_.count() == 1)) return all;
    std::vector<std::unique_ptr<Rasterizer>> joined;
    joined.push_back(ranks_.count() == 1
                         ? make_split_rasterizer(std::move(all))
                         : make_rank_split_rasterizer(ranks_, frames_.ahead(), std::move(all)));
    return joined;
  }

  /// Only the first rank speaks, but about single frames each does.
  ProgressFormat progress_format() const {
    const ProgressFormat asked = options_.sequence.progress;
    if (ranks_.index() > 0 && asked != ProgressFormat::kBlender) return ProgressFormat::kNone;
    const bool silent = options_.verbosity == Verbosity::kQuiet && asked == ProgressFormat::kAuto;
    return silent ? ProgressFormat::kNone : asked;
  }

  ProgressState state() const {
    const ExportCounts others = ranks_.others();
    ProgressState state;
    state.failed = own_.failed + others.failed;
    state.done = kept_ + own_.written + others.written + state.failed;
    state.total = plan_.frames.size();
    state.bytes = own_.bytes + others.bytes;
    state.queue = own_.drawn_ahead;
    return state;
  }

  const RenderOptions& options_;
  Ranks& ranks_;
  int threads_;
  ThreadLimit thread_limit_;
  Scene scene_;
  ExportPlan plan_;
  FrameEncoder encoder_;
  std::unique_ptr<FrameSink> sink_;
  DrawnFrames frames_;
  Progress progress_;
  ChosenBackend backend_{Backend::kCpu, ""};
  std::size_t rasterizers_ = 0, kept_ = 0;
  FrameList taken_;  ///< frames to be made whose names are taken
  ExportCounts own_;
};

/// Adds what another rank, or another turn of this one, has done.
void add_result(ExportResult& sum, const ExportResult& part) {
  if (sum.seconds == 0) {  // the first one brings its times along
    sum = part;
    return;
  }
  sum.written.insert(sum.written.end(), part.written.begin(), part.written.end());
  std::sort(sum.written.begin(), sum.written.end());
  sum.failed.insert(sum.failed.end(), part.failed.begin(), part.failed.end());
  sum.gave_up |= part.gave_up;
  if (part.error) sum.error = part.error;
  sum.bytes += part.bytes;
  sum.stages.add(part.stages);
}

void print_failures(const ExportResult& result) {
  constexpr std::size_t kListed = 5;
  const std::size_t count = result.failed.size();
  for (std::size_t i = 0; i < std::min(count, kListed); ++i) {
    spdlog::error("frame {}: {}", result.failed[i].frame, result.failed[i].message);
  }
  if (count > kListed) spdlog::error("and {} failed", counted(count - kListed, "more frame"));
  if (result.gave_up) spdlog::error("gave up after that");
}

/// Says what remains to be done, and returns the exit code. `worst`: that of the ranks.
int conclude(const FramesToMake& work, const ExportResult& result, int worst) {
  print_failures(result);
  const FrameList rest = without(work.frames, result.written);
  const int signal = stop_signal();
  if (!rest.empty()) {
    spdlog::error("{}: {} of {} frames are missing; to make them: --frames {}",
                  signal != 0 ? "interrupted" : "incomplete", rest.size(),
                  work.frames.size() + work.kept, frames_text(rest));
  }
  if (signal != 0 && !rest.empty()) return kSignalled + signal;
  if (worst > kSignalled || rest.empty() || result.error) return worst;
  if (work.kept > 0 || !result.written.empty())
    return static_cast<int>(ExitCode::kSomeFramesFailed);
  return worst != 0 ? worst : static_cast<int>(ExitCode::kRuntimeFailure);
}

/// Runs a rank's part; returns what was thrown.
Failure run_part(Exporter& exporter, ExportResult& result) {
  try {
    const ExportResult part = exporter.run();
    add_result(result, part);
    if (part.error) std::rethrow_exception(part.error);
    return {};
  } catch (...) {
    return current_failure();
  }
}

/// The first rank, or the only one: deals out the frames, makes some, and speaks for all.
int lead(const RenderOptions& options, Ranks& ranks) {
  Exporter exporter(options, ranks);
  const FramesToMake work = exporter.find_work();
  ranks.hand_out(work.frames);
  ExportResult result;
  Failure failure;
  const auto work_on = [&] {
    failure = run_part(exporter, result);
    if (failure.exit_code != 0) print_failure(failure);
  };
  if (work.frames.empty()) {
    if (options.sequence.split_frame) ranks.order_bands(std::nullopt);
  } else {
    work_on();
    if (options.sequence.split_frame) ranks.order_bands(std::nullopt);
    ranks.end({failure.exit_code, exporter.unfinished(result), {}, {}});
    exporter.wait_for_others(failure.text);
    // What another rank could not make is left for this one.
    const bool alone_can = !options.sequence.split_frame;
    while (alone_can && ranks.has_frames() && !result.gave_up && failure.exit_code == 0 &&
           stop_signal() == 0) {
      work_on();
    }
  }
  exporter.wait_for_others(failure.text);
  int worst = failure.exit_code;
  for (const RankReport& report : ranks.take_reports()) {
    worst = std::max(worst, report.exit_code);
    add_result(result, report.result);
  }
  exporter.print_summary(result);
  return conclude(work, result, worst);
}

/// The first of several ranks, which must not leave the others waiting.
int lead_others(const RenderOptions& options, Ranks& ranks) {
  int code = 0;
  Failure failure;
  try {
    code = lead(options, ranks);
  } catch (...) {
    failure = current_failure();
    print_failure(failure);
    code = failure.exit_code;
    ranks.stop();
    if (options.sequence.split_frame) ranks.order_bands(std::nullopt);
  }
  while (!ranks.wait_for_others(kTickSeconds)) {
  }
  print_problems_of_others(ranks, failure.text);
  ranks.dismiss(code);
  return code;
}

/// Any other rank.
int follow(const RenderOptions& options, Ranks& ranks) {
  RankReport report;
  Failure failure;
  try {
    Exporter exporter(options, ranks);
    if (options.sequence.split_frame) {
      exporter.run_bands();
    } else {
      failure = run_part(exporter, report.result);
      report.exit_code = failure.exit_code;
    }
    if (stop_signal() != 0) report.exit_code = kSignalled + stop_signal();
    report.unfinished = exporter.unfinished(report.result);
  } catch (...) {
    failure = current_failure();
    report.exit_code = failure.exit_code;
  }
  report.problem = failure.text;
  return ranks.end(report);
}

}  // namespace

int run_export(const RenderOptions& options) {
  const bool alone = options.sequence.shard && options.sequence.shard->per_rank;
  const std::unique_ptr<Ranks> ranks = join_ranks(alone);
  if (ranks->count() == 1) return lead(options, *ranks);
  return ranks->index() == 0 ? lead_others(options, *ranks) : follow(options, *ranks);
}

}  // namespace roundel
