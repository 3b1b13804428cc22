#include "renderer/film/export_pipeline.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "renderer/base/cores.h"
#include "renderer/base/memory.h"
#include "renderer/base/monitor.h"
#include "renderer/base/stopwatch.h"
#include "renderer/description.h"
#include "renderer/film/export_circles.h"
#include "renderer/film/frames_in_flight.h"
#include "renderer/render.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxFailuresInARow = 20;
/// Above this size, an empty picture takes longer than it saves.
constexpr std::size_t kMaxWarmUpPixels = std::size_t{4} << 20;

/// Conditions that threads wait for.
enum Waiting : std::size_t {
  kFreeSlot,  ///< generating thread
  kDrawable,  ///< rasterizer threads: frames, or work to help with
  kWritable,  ///< first writers
  kBacklogs,  ///< other writers
  kEnded,     ///< run()
  kNumWaiting
};
using State = Monitor<kNumWaiting>;

/// Functions with the lock as an argument release it while they work. All others are called under
/// it, except those that threads begin with.
class ExportPipeline {
 public:
  explicit ExportPipeline(ExportJob job)
      : job_(std::move(job)),
        budget_(job_.memory_budget > 0 ? job_.memory_budget : physical_memory() / 4),
        circles_(job_.scene, budget_, all_make_circles(job_)),
        arena_(job_.encoders > 0 ? job_.encoders : default_threads()),
        limits_(export_limits(job_, static_cast<std::size_t>(std::max(1, arena_.max_concurrency())),
                              budget_, circles_.have_recipes())),
        frames_(limits_, job_.sink.in_order()) {}

  ~ExportPipeline() {
    stop();
    join();
  }
  ExportPipeline(const ExportPipeline&) = delete;
  ExportPipeline& operator=(const ExportPipeline&) = delete;

  ExportResult run() {
    start();
    while (!wait_for_end()) {
      if (!job_.goes_on(counts())) stop();
    }
    join();
    ExportResult result = std::move(result_);
    for (const StageStats* part : {&generated_, &drawn_, &encoded_, &written_})
      result.stages.add(*part);
    std::sort(result.written.begin(), result.written.end());
    std::sort(result.kept.begin(), result.kept.end());
    result.seconds = watch_.seconds();
    result.processor_seconds = watch_.processor_seconds();
    result.limits = limits_;
    return result;
  }

 private:
  void start() {
    live_rasterizers_ = job_.rasterizers.size();
    const std::optional<Error> error = catch_error([this] {
      for (std::size_t i = 0; i < limits_.write; ++i)
        start_thread([this, i] { write_frames(i < limits_.write_first); });
      for (auto& rasterizer : job_.rasterizers)
        start_thread([this, &rasterizer] { draw_frames(*rasterizer); });
      start_thread([this] { generate_frames(); });  // last, once all other threads have started
    });
    if (error) break_off(*error);
  }

  template <typename Body>
  void start_thread(const Body& body) {
    try {
      threads_.emplace_back([this, body] {
        if (const std::optional<Error> error = catch_error(body)) break_off(*error);
      });
    } catch (const std::system_error& error) {
      throw Error(ExitCode::kRuntimeFailure, "cannot start a thread: " + error.code().message());
    }
  }

  /// For an exception that is not a failed frame, such as too little memory. Frames may be half
  /// done.
  void break_off(const Error& error) {
    const State::Lock lock(state_);
    frames_.is_broken = true;
    result_.error = error;
    stop_locked();
  }

  void stop() {
    const State::Lock lock(state_);
    stop_locked();
  }

  /// Waits at most until the next tick; true at the end.
  bool wait_for_end() {
    State::Lock lock(state_);
    return lock.wait_for(kEnded, std::chrono::duration<double>(job_.tick_seconds),
                         [this] { return frames_.all_done(); });
  }

  ExportCounts counts() const {
    const State::Lock lock(state_);
    ExportCounts counts = result_.counts();
    counts.drawn_ahead = frames_.to_encode.size() + frames_.to_write.size();
    return counts;
  }

  // ---- generate: one thread --------------------------------------------------------------------

  void generate_frames() {
    const bool may_fail = circles_.are_read() && !frames_.in_order;  // a single frame
    StageStats sums;
    State::Lock lock(state_);
    for (;;) {
      lock.wait(kFreeSlot, [this] { return frames_.is_stopped || frames_.has_free_slot(); });
      if (frames_.is_stopped) break;
      lock.unlock();
      StageStats stats;
      std::optional<NextFrame> next;
      std::optional<FrameCircles> circles;
      std::optional<Error> failure;  // this frame's alone
      const std::optional<Error> error = catch_error([&] {
        next = job_.frames.next();
        if (!next || next->is_made) return;
        try {
          circles = circles_.at(next->number, stats);
        } catch (...) {
          if (!may_fail) throw;
          failure = current_error();
        }
        if (circles && circles->scene)
          job_.on_scene(next->number, *circles->scene, circles->stream);
      });
      if (!error && next) sums.add(stats);
      lock.lock();
      if (next && !next->is_made) unfinished_.insert(next->number);
      if (error) result_.error = error;  // earlier frames are still drawn
      if (error || !next) break;
      if (next->is_made) {
        result_.kept.push_back(next->number);
        continue;
      }
      const std::size_t index = next_index_++;
      if (failure) {
        fail_frame(index, next->number, *failure);
        continue;
      }
      if (!circles) {
        repeat_picture(index, next->number);
        if (frames_.must_help()) wake(kDrawable);
        continue;
      }
      frames_.to_draw.push_back({index, next->number, {std::move(*circles), share_picture()}});
      wake(kDrawable);
    }
    generated_.add(sums);
    frames_.all_generated = true;
    if (frames_.is_stopped) drop_undrawn();
    wake_all();
  }

  /// If later frames may reuse the frame's picture.
  std::shared_ptr<SharedPicture> share_picture() {
    if (!circles_.repeats()) return nullptr;
    if (shared_) frames_.recycle(std::move(shared_->picture));
    return shared_ = std::make_shared<SharedPicture>();
  }
  /// For a frame like the previous one.
  void repeat_picture(std::size_t index, std::int64_t frame) {
    if (shared_->picture) return hand_to_encoders(index, frame, shared_->picture);
    shared_->waiting.push_back({index, frame});
    ++frames_.waiting;
    if (frames_.is_stopped) drop_waiting(shared_);
  }

  // ---- draw: one thread a rasterizer -----------------------------------------------------------

  void draw_frames(Rasterizer& rasterizer) {
    if (rasterizer.needs_warm_up() && job_.scene.image.pixels() <= kMaxWarmUpPixels)
      warm_up(rasterizer);
    StageStats sums;
    State::Lock lock(state_);
    for (;;) {
      lock.wait(kDrawable, [this] {
        return !frames_.to_draw.empty() || frames_.must_help() || frames_.all_drawn();
      });
      if (!frames_.to_draw.empty()) {
        if (!draw_one(rasterizer, lock, sums)) break;
      } else if (frames_.must_help()) {
        encode_one(lock);
      } else {
        break;
      }
    }
    drawn_.add(sums);
  }

  /// Draws empty pictures, for reuse, while the first circles are generated.
  void warm_up(Rasterizer& rasterizer) {
    // Drawing a frame reports the same error again.
    catch_error([&] {
      const Circles nothing;
      StageStats stats;
      for (std::size_t k = 0; k < limits_.frames / limits_.draw; ++k) {
        auto picture = std::make_shared<FramePixels>();
        rasterizer.draw(nothing, job_.encoder.drawn(job_.scene.image),
                        job_.encoder.file_target(*picture, 0), stats);
        const State::Lock lock(state_);
        if (!frames_.to_draw.empty() || frames_.all_generated) return;
        frames_.free_pictures.push_back(std::move(picture));
      }
    });
  }

  /// False if the rasterizer has failed.
  bool draw_one(Rasterizer& rasterizer, State::Lock& lock, StageStats& sums) {
    InFlight<FrameToDraw> work = std::move(frames_.to_draw.front());
    frames_.to_draw.pop_front();
    PixelsPointer picture = frames_.take_free_picture();
    ++frames_.drawing;
    wake_generator();
    lock.unlock();

    StageStats stats;
    std::span<const std::uint8_t> bytes;  // the file's bytes, if drawing made it
    const std::optional<Error> error = catch_error([&] {
      if (!picture) picture = std::make_shared<FramePixels>();
      const FrameCircles& circles = work.content.circles;
      const Scene& scene = circles.scene ? *circles.scene : job_.scene;
      picture->fingerprint = circles.fingerprint;
      picture->axes = circles.scene ? axes_text(scene) : "";
      picture->seed = scene.seed;
      rasterizer.draw(circles.stream, job_.encoder.drawn(scene.image),
                      job_.encoder.file_target(*picture, work.frame), stats);
      bytes = job_.encoder.drawn_bytes(*picture, work.frame);
    });
    if (!error) sums.add(stats);

    lock.lock();
    --frames_.drawing;
    if (error) {
      fail_draw(std::move(work), *error);
    } else {
      circles_.take_back(std::move(work.content.circles));
      if (const auto& shared = work.content.shared) {
        if (shared == shared_) shared->picture = picture;
        for (const auto& [index, frame] : frames_.take_waiting(*shared))
          hand_to_encoders(index, frame, picture);
      }
      if (bytes.empty())
        hand_to_encoders(work.index, work.frame, std::move(picture));
      else
        hand_to_writers({work.index, work.frame, {{}, std::move(picture), bytes}});
    }
    wake_generator();
    if (frames_.must_help()) wake(kDrawable);
    return !error.has_value();
  }

  /// Retries on another rasterizer; without one, all frames fail.
  void fail_draw(InFlight<FrameToDraw> work, const Error& error) {
    --live_rasterizers_;
    if (live_rasterizers_ > 0 && !frames_.is_stopped) {
      frames_.to_draw.push_front(std::move(work));
      wake_all();
      return;
    }
    fail_frame(work.index, work.frame, error);
    drop_waiting(work.content.shared);
    result_.has_given_up = true;
    stop_locked();
  }

  // ---- encode: tasks on all cores --------------------------------------------------------------

  void hand_to_encoders(std::size_t index, std::int64_t frame, PixelsPointer picture) {
    frames_.to_encode.push_back({index, frame, std::move(picture)});
    ++frames_.encode_tasks;
    try {
      arena_.enqueue([this] {
        const std::optional<Error> error = catch_error([this] {
          State::Lock lock(state_);
          encode_one(lock);
          end_encode_task(lock);
        });
        if (!error) return;
        break_off(*error);
        State::Lock lock(state_);
        end_encode_task(lock);
      });
    } catch (...) {
      // oneTBB has no thread, but keeps the task, which may run after this object is gone.
      std::terminate();
    }
  }
  void end_encode_task(State::Lock& lock) {
    --frames_.encode_tasks;
    if (frames_.is_ending()) wake_all();
    lock.wake_at_once();  // after the last one this object may be gone
  }

  /// A helping thread may have taken the last picture.
  void encode_one(State::Lock& lock) {
    if (frames_.to_encode.empty()) return;
    InFlight<PixelsPointer> work = std::move(frames_.to_encode.front());
    frames_.to_encode.pop_front();
    ++frames_.encoding;
    lock.unlock();

    StageStats stats;
    Encoded encoded;
    const std::optional<Error> error = catch_error([&] {
      const StageTimer timer(stats, "encode");
      encoded.content = job_.encoder.drawn_bytes(*work.content, work.frame);
      if (encoded.content.empty()) {
        encoded.bytes = job_.encoder.encode(*work.content, work.frame, false);
        encoded.content = encoded.bytes;
      } else {
        encoded.picture = std::move(work.content);
      }
      stats.stage("encode").bytes = encoded.content.size();
    });

    lock.lock();
    --frames_.encoding;
    encoded_.add(stats);
    frames_.recycle(std::move(work.content));
    if (error)
      fail_frame(work.index, work.frame, *error);
    else
      hand_to_writers({work.index, work.frame, std::move(encoded)});
  }

  void hand_to_writers(InFlight<Encoded> work) {
    frames_.to_write.emplace(work.index, std::move(work));
    wake(kWritable);
    if (frames_.has_backlog()) wake(kBacklogs);
  }

  // ---- write: a few threads, or one that keeps the order ---------------------------------------

  /// Each frame wakes only the first writers, a backlog the others: on a GPU films take up to twice
  /// as long if many writers take turns (docs/lab/measurements.md).
  void write_frames(bool first) {
    StageStats sums;
    const Waiting waiting = first ? kWritable : kBacklogs;
    State::Lock lock(state_);
    for (;;) {
      lock.wait(waiting, [&] { return frames_.can_write(first) || frames_.all_written(); });
      if (!frames_.can_write(first)) break;
      write_one(lock, sums);
      wake_generator();
    }
    written_.add(sums);
  }

  void write_one(State::Lock& lock, StageStats& sums) {
    InFlight<Encoded> work = std::move(frames_.to_write.extract(frames_.to_write.begin()).mapped());
    if (work.index >= frames_.end) return;
    ++frames_.writing;
    lock.unlock();

    const std::span<const std::uint8_t> content = work.content.content;
    StageStats stats;
    const std::optional<Error> error = catch_error([&] {
      const StageTimer timer(stats, "write", StageResource::kOutput);
      job_.sink.write(work.frame, content);
      stats.stage("write", StageResource::kOutput).bytes = content.size();
    });
    if (!error) job_.on_written(work.frame, content.size());
    sums.add(stats);

    lock.lock();
    --frames_.writing;
    frames_.next_to_write = work.index + 1;
    if (error) {
      fail_frame(work.index, work.frame, *error);
    } else {
      failures_in_a_row_ = 0;
      unfinished_.erase(work.frame);
      result_.written.push_back(work.frame);
      result_.bytes += content.size();
    }
    frames_.recycle(std::move(work.content.picture));
  }

  // ---- waiting ----------------------------------------------------------------------------------

  /// Waking all threads for each step would congest the lock. At the end, wakes all.
  void wake(Waiting waiting) {
    if (frames_.is_ending()) return wake_all();
    state_.wake_one(waiting);
  }
  /// Skips frames while enough wait to be drawn.
  void wake_generator() {
    if (frames_.is_ending() ||
        (frames_.has_free_slot() && frames_.to_draw.size() <= limits_.ahead / 2))
      wake(kFreeSlot);
  }
  void wake_all() { state_.wake_all(); }

  // ---- ends ------------------------------------------------------------------------------------

  void fail_frame(std::size_t index, std::int64_t frame, const Error& error) {
    unfinished_.erase(frame);
    job_.frames.release(frame, true);  // another process may succeed, and must not wait
    result_.failed.push_back({frame, error.exit_code(), error.what()});
    ++failures_in_a_row_;
    if (frames_.in_order) {
      frames_.end_stream_at(index);
      stop_locked();
    } else if (failures_in_a_row_ >= kMaxFailuresInARow) {
      result_.has_given_up = true;
      stop_locked();
    }
    wake_all();
  }

  void stop_locked() {
    if (!frames_.is_stopped) job_.frames.close();
    frames_.is_stopped = true;
    drop_undrawn();
    wake_all();
  }

  void drop_undrawn() {
    if (!frames_.to_draw.empty()) frames_.end_stream_at(frames_.to_draw.front().index);
    for (const InFlight<FrameToDraw>& work : frames_.to_draw) drop_waiting(work.content.shared);
    frames_.to_draw.clear();
  }
  void drop_waiting(const std::shared_ptr<SharedPicture>& shared) {
    if (shared) frames_.take_waiting(*shared);
  }

  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    State::Lock lock(state_);  // tasks may have started after a failure
    lock.wait(kEnded, [this] { return frames_.encode_tasks == 0; });
    for (const std::int64_t frame : unfinished_) job_.frames.release(frame, false);
    unfinished_.clear();
  }

  ExportJob job_;
  std::uint64_t budget_;  ///< bytes
  ExportCircles circles_;
  tbb::task_arena arena_;
  const ExportLimits limits_;
  Stopwatch watch_;

  mutable State state_;  ///< guards all below
  FramesInFlight frames_;
  std::size_t live_rasterizers_ = 0, next_index_ = 0, failures_in_a_row_ = 0;
  std::set<std::int64_t> unfinished_;      ///< handed out, neither written nor failed
  std::shared_ptr<SharedPicture> shared_;  ///< picture of the last generated frame
  ExportResult result_;
  /// Sums over frames. Each thread adds its own when it ends.
  StageStats generated_, drawn_, encoded_, written_;

  std::vector<std::thread> threads_;
};

}  // namespace

ExportResult export_frames(ExportJob job) {
  return ExportPipeline(std::move(job)).run();
}

ExportCounts& ExportCounts::operator+=(const ExportCounts& other) {
  written += other.written;
  failed += other.failed;
  bytes += other.bytes;
  drawn_ahead += other.drawn_ahead;
  kept += other.kept;
  return *this;
}

void ExportResult::add(ExportResult part) {
  const auto merge = [](FrameList& sum, const FrameList& frames) {
    sum.insert(sum.end(), frames.begin(), frames.end());
    std::inplace_merge(sum.begin(), sum.end() - static_cast<std::ptrdiff_t>(frames.size()),
                       sum.end());
  };
  merge(written, part.written);
  merge(kept, part.kept);
  failed.insert(failed.end(), part.failed.begin(), part.failed.end());
  has_given_up |= part.has_given_up;
  bytes += part.bytes;
  stages.add(part.stages);
}

}  // namespace roundel
