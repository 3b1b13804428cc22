#include "tools/roundel/commands/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "renderer/base/cores.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/film/claimed_frames.h"
#include "renderer/film/ranks.h"
#include "renderer/film/split_rasterizer.h"
#include "renderer/render.h"
#include "renderer/warnings.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/scene_film.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

constexpr double kTickSeconds = 0.1;  ///< interval of checking signals and progress

using Failure = std::optional<Error>;  ///< thrown by a rank

int exit_code_of(const Failure& failure) {
  return failure ? static_cast<int>(failure->exit_code()) : 0;
}

/// Throws Error(kUsage) for options that work in one process only. Returns the options.
const RenderOptions& check_ranks(const RenderOptions& options, const Ranks& ranks) {
  const auto refuse = [](const std::string& text) { throw Error(ExitCode::kUsage, text); };
  if (ranks.count == 1) return options;
  if (options.split_frame)
    refuse(
        fmt::format("--split-frame: shares a frame between the devices of one process, got {} "
                    "ranks; to give each rank frames of its own, add --shard auto",
                    ranks.count));
  if (options.is_stream()) refuse("--output: several ranks need files, got \"-\"");
  if (options.is_video())
    refuse(
        fmt::format("--output: one process makes a video, got {} ranks; let ranks draw frames, "
                    "then join them with ffmpeg: docs/films.md",
                    ranks.count));
  for (const std::string& path : {options.scenes.front(), options.each})
    if (is_stream_path(path))
      refuse(fmt::format("{}: several ranks need a file", roundel::quoted(path)));
  return options;
}

/// One rank's part of a film.
class Exporter {
 public:
  Exporter(const RenderOptions& options, const Ranks& ranks)
      : options_(check_ranks(options, ranks)),
        ranks_(ranks),
        threads_(threads_of(options.machine.raster.threads, ranks.local)),
        thread_limit_(threads_),
        scene_(load_film({options.scenes.front(), options.each, options.output},
                         options.scene.overrides, options.frames)),
        plan_(plan_export(scene_, options)),
        encoder_(scene_, plan_.format, plan_.pixels),
        progress_(progress_format()) {
    const bool may_replace = options.overwrite || options.resume;
    if (options.is_stream())
      sink_ = std::make_unique<StreamSink>(STDOUT_FILENO, encoder_.stream_header(plan_.step));
    else if (!options.is_video())
      sink_ = std::make_unique<FileSink>(
          plan_.name, may_replace ? OverwriteRule::kReplace : OverwriteRule::kRefuse);
  }

  /// For the first rank: checks the existing files, and starts the program that makes a video.
  FramesToMake find_work() {
    if (options_.is_stream()) {
      if (scene_.film) check_scenes(scene_, plan_.frames);
      return {plan_.frames, 0, {}, {}};
    }
    if (!options_.is_video()) return frames_to_make(plan_, scene_, options_);
    FramesToMake work = video_to_make(plan_, scene_, options_);
    const double fps = scene_.animation ? scene_.animation->fps : Animation{}.fps;
    VideoSettings video{plan_.path(),
                        options_.overwrite ? OverwriteRule::kFollow : OverwriteRule::kRefuse,
                        scene_.image.width,
                        scene_.image.height,
                        plan_.pixels,
                        frame_rate(fps, plan_.step),
                        plan_.frames.size(),
                        options_.audio,
                        options_.machine.raster.threads};
    auto sink = std::make_unique<VideoSink>(std::move(video), [] { return stop_signal() == 0; });
    video_ = sink.get();
    sink_ = std::move(sink);
    return work;
  }
  /// Null unless the film is a video.
  const VideoSink* video() const { return video_; }

  /// Makes frames of `source` until none is left, or a signal asks to stop. Calls `on_tick`
  /// regularly with the counts so far. Returns the thrown error.
  Failure run(FrameSource& source, const std::function<void(const ExportCounts&)>& on_tick,
              ExportResult& result) {
    const Failure thrown = catch_error([&] {
      std::optional<ClaimedFrames> claims;  // other exports, which resume too, make some frames
      if (options_.resume)                  // needs files
        claims.emplace(source, static_cast<FileSink&>(*sink_),
                       [this, origin = origin_of(plan_, scene_)](std::int64_t frame) {
                         return is_made(plan_, origin, options_, frame);
                       });
      FrameSource& frames = claims ? *claims : source;
      ExportJob job{scene_, frames, encoder_, *sink_, make_own_rasterizers()};
      job.encoders = threads_;
      job.memory_budget = options_.machine.raster.memory_budget / 2;
      job.on_written = [this](std::int64_t frame, std::uint64_t /*bytes*/) {
        progress_.frame_written(frame, sink_->name(frame));
        if (options_.own != nullptr) options_.own->add(sink_->name(frame));
      };
      if (is_data_film(scene_) || scene_.film)
        job.on_scene = [this](std::int64_t frame, const Scene& scene, const CircleStream& circles) {
          unseen_warnings_ += with_path(scene, warnings_.about_frame(frame, scene, circles));
          data_warnings_ += with_path(scene, warnings_.about_data(scene));
        };
      job.goes_on = [&](const ExportCounts& counts) {
        on_tick(counts);
        if (claims) report_waiting(claims->waiting_for());
        return stop_signal() == 0;
      };
      result = export_frames(std::move(job));
      if (claims) remove_leftovers(plan_);  // left by exports that were killed meanwhile
    });
    return thrown ? thrown : result.error;
  }

  /// For the first rank. `kept`: existing frames. `made`: by this rank.
  ProgressState state(std::size_t kept, ExportCounts made, const ExportCounts& others) const {
    made += others;
    return {kept + made.written + made.kept + made.failed, made.failed, plan_.frames.size(),
            made.bytes, made.drawn_ahead};
  }
  Progress& progress() { return progress_; }

  /// For the first of several ranks after a signal: reports once which frames are missing, while
  /// the ranks finish theirs. mpirun gives them about a second, which is too short for a slow
  /// frame.
  void report_missing_frames(const FramesToMake& work) {
    constexpr std::chrono::milliseconds kGraceTime{300};
    const auto now = std::chrono::steady_clock::now();
    if (!signalled_at_) signalled_at_ = now;
    if (ranks_.count == 1 || has_reported_missing_ || now - *signalled_at_ < kGraceTime) return;
    has_reported_missing_ = true;
    const auto failure = catch_error([&] {
      sink_->sync(plan_.frames);
      const FrameList there = frames_without(taken_names(plan_.name, work.frames), work.taken);
      const FrameList rest = frames_without(work.frames, there);
      print_error(fmt::format(
          "interrupted: {} of {} frames are missing so far; to draw them: --resume --frames {}",
          rest.size(), work.frames.size() + work.kept, frames_text(rest)));
    });
    if (failure) print_error(*failure);
  }

  /// Returns the options that draw these frames after this run. PFM files name no scene.
  std::string options_for(const FrameList& frames) const {
    const bool may_resume = options_.is_sequence() && !options_.is_stream() &&
                            plan_.format.picture != ImageFormat::kPfm;
    return fmt::format("{}--frames {}",
                       may_resume ? "the same command with --resume, or with " : "",
                       frames_text(frames));
  }

  /// Waits until this rank's frames are on the disk, and adds the time to `result`. Prints and
  /// returns the thrown error.
  Failure sync(ExportResult& result) {
    const Stopwatch watch;
    Failure failure = catch_error([&] { sink_->sync(plan_.frames); });
    if (failure) print_error(*failure);
    if (video_ != nullptr) {
      result.bytes = video_->file_bytes();
      if (!failure) print_warnings(video_->messages());
    }
    if (result.written.empty()) return failure;
    result.seconds += watch.seconds();
    result.stages.stage("write", StageResource::kOutput).milliseconds += 1e3 * watch.seconds();
    return failure;
  }

  void print_summary(const FramesToMake& work, const ExportResult& result) {
    if (video_ != nullptr && !video_->is_done()) return;
    const ExportReport report{
        scene_,
        options_.output.value_or(scene_.output.value_or("")),
        backend_name(backend_.backend),
        result,
        std::nullopt,
        rasterizers_,
        work.kept + result.kept.size(),
        work.taken.size() - frames_without(work.taken, result.written).size()};
    print_report(report, options_, [&] {
      print_warning(leftovers_of(plan_, scene_, options_));
      if (video_ != nullptr) print_warning(video_->warning());
      print_warnings(unseen_warnings() + film_warnings(result) + data_warnings_);
    });
  }

  /// For the other ranks: warns about their frames that have their own data or scene.
  void warn_about_frames() const { print_warnings(unseen_warnings() + data_warnings_); }

 private:
  Lines unseen_warnings() const {
    return with_path(scene_, warnings_.about_unseen_frames(scene_)) + unseen_warnings_;
  }

  Lines film_warnings(const ExportResult& result) {
    const bool is_made = !result.written.empty();
    const Drawn film{scene_,
                     is_made ? result.written.front() : 0,
                     plan_.format.picture,
                     sample_film(scene_),
                     is_made ? result.stages.overlaps : 1,
                     scene_.film ? 1 : plan_.frames.size()};
    return with_path(scene_, warnings_.about(film));
  }

  /// With --split-frame a single rasterizer drives all devices.
  std::vector<std::unique_ptr<Rasterizer>> make_own_rasterizers() {
    backend_ = choose_backend(options_.machine);
    defer_signals();
    const int threads = threads_ > 0 ? threads_ : default_threads();
    const std::size_t frames = plan_.frames.size() / static_cast<std::size_t>(ranks_.count);
    const int at_once = options_.split_frame
                            ? 1
                            : frames_at_once(scene_, plan_, backend_.backend, frames, threads,
                                             options_.machine.raster.memory_budget);
    MachineOptions machine = options_.machine;
    if (backend_.backend == Backend::kCpu) machine.raster.memory_budget /= 2;  // see run()
    auto made = make_rasterizers(backend_.backend, machine, ranks_.local, at_once);
    rasterizers_ = made.size();
    if (!options_.split_frame || made.size() == 1) return made;
    std::vector<std::unique_ptr<Rasterizer>> joined;
    joined.push_back(make_split_rasterizer(std::move(made)));
    return joined;
  }

  /// Reports once that another export takes long.
  void report_waiting(const FrameList& frames) {
    constexpr std::chrono::seconds kQuietTime{5};
    const auto now = std::chrono::steady_clock::now();
    if (frames.empty()) waits_since_ = now;
    if (has_reported_waiting_ || now - waits_since_ < kQuietTime) return;
    has_reported_waiting_ = true;
    print_note(fmt::format("waiting for {} that another run is drawing: {}",
                           counted(frames.size(), "frame"), frames_text(frames)));
  }

  /// The first rank reports for all, but each rank reports its own frames.
  ProgressFormat progress_format() const {
    const ProgressFormat requested = options_.progress;
    if (ranks_.index > 0 && requested != ProgressFormat::kBlender) return ProgressFormat::kNone;
    const bool silent =
        options_.verbosity == Verbosity::kQuiet && requested == ProgressFormat::kAuto;
    return silent ? ProgressFormat::kNone : requested;
  }

  const RenderOptions& options_;
  const Ranks& ranks_;
  int threads_;
  ThreadLimit thread_limit_;
  Scene scene_;
  ExportPlan plan_;
  FrameEncoder encoder_;
  std::unique_ptr<FrameSink> sink_;
  VideoSink* video_ = nullptr;  ///< the sink, if it makes a video
  std::chrono::steady_clock::time_point waits_since_;
  std::optional<std::chrono::steady_clock::time_point> signalled_at_;
  bool has_reported_missing_ = false;
  bool has_reported_waiting_ = false;
  Progress progress_;
  SceneWarnings warnings_;
  Lines unseen_warnings_, data_warnings_;  ///< about frames that have their own data or scene
  ChosenBackend backend_{Backend::kCpu, ""};
  std::size_t rasterizers_ = 0;
};

void print_failures(const ExportResult& result) {
  constexpr std::size_t kListed = 5;
  const std::size_t count = result.failed.size();
  for (std::size_t i = 0; i < std::min(count, kListed); ++i) {
    for (const std::string& line : lines_of(result.failed[i].message))
      print_error(fmt::format("frame {}: {}", result.failed[i].frame, line));
  }
  if (count > kListed)
    print_error(fmt::format("and {} failed", counted(count - kListed, "more frame")));
  if (result.has_given_up) print_error("stopped after these failures");
}

/// Reports why a video was not made, unless ffmpeg failed, and returns the exit code.
int conclude_video(const Exporter& exporter, const ExportResult& result, int worst) {
  if (exporter.video()->is_done()) return worst;
  const int signal = stop_signal();
  const bool is_reported = signal != 0 || worst != 0;
  if (!is_reported) print_failures(result);
  print_error(fmt::format("{}: {}: the video is not made",
                          signal != 0 ? "interrupted" : "incomplete", exporter.video()->path()));
  if (signal != 0) return kSignalExitCode + signal;
  if (worst != 0) return worst;
  return static_cast<int>(result.failed.empty() ? ExitCode::kRuntimeFailure
                                                : result.failed.front().exit_code);
}

/// Reports the remaining work and returns the exit code. `worst`: that of the ranks.
int conclude(const Exporter& exporter, const FramesToMake& work, const ExportResult& result,
             int worst) {
  if (exporter.video() != nullptr) return conclude_video(exporter, result, worst);
  print_failures(result);
  const FrameList rest = frames_without(frames_without(work.frames, result.written), result.kept);
  const std::size_t kept = work.kept + result.kept.size();
  const int signal = stop_signal();
  if (!rest.empty()) {
    print_error(fmt::format("{}: {} of {} frames are missing; to draw them: {}",
                            signal != 0 ? "interrupted" : "incomplete", rest.size(),
                            work.frames.size() + work.kept, exporter.options_for(rest)));
  }
  if (signal != 0 && !rest.empty()) return kSignalExitCode + signal;
  if (worst > kSignalExitCode || rest.empty() || result.error) return worst;
  if (kept > 0 || !result.written.empty()) return static_cast<int>(ExitCode::kSomeFramesFailed);
  const bool are_invalid = std::any_of(
      result.failed.begin(), result.failed.end(),
      [](const FailedFrame& failed) { return failed.exit_code == ExitCode::kInvalidScene; });
  if (worst == 0 && are_invalid) return static_cast<int>(ExitCode::kInvalidScene);
  return worst != 0 ? worst : static_cast<int>(ExitCode::kRuntimeFailure);
}

/// Prints the errors of other ranks, except one that this rank has printed already. Adds their
/// counts to `others`, and returns the worst of `worst` and their exit codes.
int collect_from_others(FirstRank& first, const Failure& own, ExportResult& others, int worst) {
  for (RankReport& report : first.take_reports()) {
    if (!report.problem.empty() && !(own && report.problem == own->what())) {
      Lines lines;
      for (const std::string& line : lines_of(report.problem))
        lines += fmt::format("rank {}: {}", report.rank, line);
      print_error(Error(static_cast<ExitCode>(report.exit_code), lines));
    }
    others.add(std::move(report.result));
    worst = std::max(worst, report.exit_code);
  }
  return worst;
}

/// Runs the first rank, or the only one: deals out the frames, makes some, and reports for all.
int run_first_rank(const RenderOptions& options, const Ranks& ranks,
                   std::optional<FirstRank>& first_rank) {
  Exporter exporter(options, ranks);
  const FramesToMake work = exporter.find_work();
  const Stopwatch watch;
  FirstRank& first = first_rank.emplace(ranks, work.frames);
  ExportResult result, others;
  Failure failure;
  int worst = 0;
  const auto report_progress = [&](const ExportCounts& now) {
    if (stop_signal() != 0) {
      first.stop();
      exporter.report_missing_frames(work);
    }
    worst = collect_from_others(first, failure, others, worst);
    exporter.progress().update(exporter.state(work.kept, now, first.others()));
  };
  if (!work.frames.empty()) failure = exporter.run(first, report_progress, result);
  if (failure) print_error(*failure);
  while (!first.wait_for_others(kTickSeconds)) report_progress(result.counts());
  worst = collect_from_others(first, failure, others, std::max(worst, exit_code_of(failure)));
  exporter.progress().finish(exporter.state(work.kept, result.counts(), first.others()));
  worst = std::max(worst, exit_code_of(exporter.sync(result)));
  result.add(std::move(others));
  if (result.seconds == 0) result.seconds = watch.seconds();  // this rank could draw nothing
  exporter.print_summary(work, result);
  return conclude(exporter, work, result, worst);
}

/// Runs the first of several ranks, which must not leave the others waiting.
int run_first_of_ranks(const RenderOptions& options, const Ranks& ranks) {
  int code = 0;
  Failure failure;
  std::optional<FirstRank> first;
  try {
    code = run_first_rank(options, ranks, first);
  } catch (...) {
    failure = current_error();
    print_error(*failure);
    code = exit_code_of(failure);
    if (!first) first.emplace(ranks, FrameList());
    first->stop();
  }
  while (!first->wait_for_others(kTickSeconds)) {
  }
  ExportResult others;
  collect_from_others(*first, failure, others, 0);
  first->dismiss(code);
  return code;
}

int run_other_rank(const RenderOptions& options, const Ranks& ranks) {
  OtherRank other(ranks);
  RankReport report;
  Failure failure;
  try {
    Exporter exporter(options, ranks);
    failure = exporter.run(
        other, [&](const auto& own) { other.note(own); }, report.result);
    if (const Failure unsynced = exporter.sync(report.result); !failure) failure = unsynced;
    exporter.warn_about_frames();
    report.exit_code = stop_signal() != 0 ? kSignalExitCode + stop_signal() : exit_code_of(failure);
  } catch (...) {
    failure = current_error();
    report.exit_code = exit_code_of(failure);
  }
  if (failure) report.problem = failure->what();
  return other.end(std::move(report));
}

}  // namespace

int export_film(const RenderOptions& options) {
  const bool is_alone = options.watches || (options.shard && options.shard->per_rank);
  const Ranks ranks = join_ranks(is_alone);
  // Exports that resume share the work anyway.
  if (const std::string problem = independent_tasks_warning();
      !problem.empty() && ranks.count == 1 && !options.resume && !options.shard)
    print_warning(problem);
  if (ranks.index > 0) return run_other_rank(options, ranks);
  if (ranks.count > 1) return run_first_of_ranks(options, ranks);
  std::optional<FirstRank> alone;
  return run_first_rank(options, ranks, alone);
}

}  // namespace roundel
