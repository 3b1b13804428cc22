#include "renderer/sequence/export_pipeline.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "renderer/base/memory.h"
#include "renderer/base/monitor.h"
#include "renderer/base/stopwatch.h"
#include "renderer/render.h"
#include "renderer/sequence/export_circles.h"

namespace roundel {
namespace {

constexpr std::size_t kGiveUpAfter = 20;  ///< failures one after the other
constexpr std::size_t kBacklog = 4;       ///< frames that may wait for the first writers
/// Of larger pictures one of nothing takes longer than it saves.
constexpr std::size_t kMostWarmPixels = std::size_t{4} << 20;

using PixelsPointer = std::shared_ptr<FramePixels>;

/// What threads wait for.
enum Waiting : std::size_t {
  kRoom,      ///< the generating one
  kDrawable,  ///< those of the rasterizers: frames, or need of help
  kWritable,  ///< the first of those that write
  kBacklogs,  ///< the others
  kEnded,     ///< run()
  kNumWaiting
};
using State = Monitor<kNumWaiting>;

/// A picture that frames after the first one take as it is.
struct SharedPicture {
  struct Frame {
    std::size_t index;
    std::int64_t frame;
  };
  PixelsPointer picture;       ///< once it is drawn
  std::vector<Frame> waiting;  ///< for that
};

/// A frame that is to be drawn.
struct FrameToDraw {
  FrameCircles circles;
  std::shared_ptr<SharedPicture> shared;  ///< null where no other frame is like it
};

class ExportPipeline {
 public:
  explicit ExportPipeline(ExportJob job)
      : job_(std::move(job)),
        budget_(job_.memory_budget > 0 ? job_.memory_budget : physical_memory() / 4),
        circles_(job_.scene, budget_, job_.repeats, all_make_circles(job_)),
        arena_(job_.encoders > 0 ? job_.encoders : tbb::task_arena::automatic),
        limits_(export_limits(job_, static_cast<std::size_t>(std::max(1, arena_.max_concurrency())),
                              budget_, circles_.have_recipes())) {}

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
      start_thread([this] { generate_frames(); });  // the last one, once all others could be had
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

  void stop() {
    const State::Lock lock(state_);
    stop_locked();
  }

  /// At most until the next tick; true at the end.
  bool wait_for_end() {
    State::Lock lock(state_);
    return lock.wait_for(kEnded, std::chrono::duration<double>(job_.tick_seconds),
                         [this] { return all_done(); });
  }

  ExportCounts counts() const {
    const State::Lock lock(state_);
    return {result_.written.size(), result_.failed.size(), result_.bytes,
            to_encode_.size() + to_write_.size()};
  }

  /// A frame and what there is of it so far. `index` counts the frames in the order drawn.
  template <typename Content>
  struct InFlight {
    std::size_t index;
    std::int64_t frame;
    Content content;
  };
  /// What is written of a frame: the encoder's bytes, or those of the picture itself.
  struct Encoded {
    std::vector<std::uint8_t> bytes;
    PixelsPointer picture;
    std::span<const std::uint8_t> content;
  };

  // ---- generate: one thread --------------------------------------------------------------------

  void generate_frames() {
    StageStats sums;
    State::Lock lock(state_);
    while (wait_for_room(lock)) {
      lock.unlock();
      StageStats stats;
      std::optional<NextFrame> next;
      const bool may_fail = job_.repeats && !job_.sink.in_order();
      const std::optional<Error> error = catch_error([&] {
        next = circles_.next(job_.frames, may_fail, stats);
        if (next && next->circles && next->circles->scene)
          job_.on_scene(next->frame, *next->circles->scene, next->circles->stream);
      });
      if (!error && next) sums.add(stats);
      lock.lock();
      if (error) result_.error = error;  // frames before it are still drawn
      if (error || !next) break;
      ++in_flight_;
      const std::size_t index = next_index_++;
      if (next->error) {
        fail_frame(index, next->frame, *next->error);
        continue;
      }
      if (!next->circles) {
        repeat_picture(index, next->frame);
        if (must_help()) wake(kDrawable);
        continue;
      }
      to_draw_.push_back({index, next->frame, {std::move(*next->circles), share_picture()}});
      wake(kDrawable);
    }
    generated_.add(sums);
    all_generated_ = true;
    if (stop_) drop_undrawn();
    wake_all();
  }

  /// False when there is nothing more to generate.
  bool wait_for_room(State::Lock& lock) {
    lock.wait(kRoom, [this] { return stop_ || has_room(); });
    return !stop_;
  }
  bool has_room() const {
    return in_flight_ < limits_.frames && to_draw_.size() + drawing_ < limits_.draw + limits_.ahead;
  }

  /// For a frame that others after it may be like.
  std::shared_ptr<SharedPicture> share_picture() {
    if (!circles_.repeats()) return nullptr;
    if (shared_) recycle(std::move(shared_->picture));
    return shared_ = std::make_shared<SharedPicture>();
  }
  /// For a frame that is like the one before.
  void repeat_picture(std::size_t index, std::int64_t frame) {
    if (shared_->picture)
      hand_to_encoders(index, frame, shared_->picture);
    else
      shared_->waiting.push_back({index, frame});
    if (stop_) drop_waiting(shared_);
  }
  /// To be drawn into again, unless another frame needs it.
  void recycle(PixelsPointer picture) {
    if (picture && picture.use_count() == 1) free_pictures_.push_back(std::move(picture));
  }

  // ---- draw: one thread a rasterizer -----------------------------------------------------------

  void draw_frames(Rasterizer& rasterizer) {
    if (rasterizer.starts_slowly() && job_.scene.image.pixels() <= kMostWarmPixels)
      warm_up(rasterizer);
    StageStats sums;
    State::Lock lock(state_);
    for (;;) {
      lock.wait(kDrawable, [this] { return !to_draw_.empty() || must_help() || all_drawn(); });
      if (!to_draw_.empty()) {
        if (!draw_one(rasterizer, lock, sums)) break;
      } else if (must_help()) {
        encode_one(lock);
      } else {
        break;
      }
    }
    drawn_.add(sums);
  }

  /// Draws pictures of nothing, which are kept for frames, while the first circles are generated.
  void warm_up(Rasterizer& rasterizer) {
    // A frame that can be drawn says the same error again.
    catch_error([&] {
      const Circles nothing;
      StageStats stats;
      for (std::size_t k = 0; k < limits_.frames / limits_.draw; ++k) {
        auto picture = std::make_shared<FramePixels>();
        rasterizer.draw(nothing, job_.encoder.drawn(job_.scene.image),
                        job_.encoder.file_target(*picture, 0), stats);
        const State::Lock lock(state_);
        if (!to_draw_.empty() || all_generated_) return;
        free_pictures_.push_back(std::move(picture));
      }
    });
  }

  /// All frames on their way wait for encoders.
  bool must_help() const { return in_flight_ == limits_.frames && !to_encode_.empty(); }
  bool all_drawn() const {
    return is_broken_ || (all_generated_ && to_draw_.empty() && drawing_ == 0);
  }

  /// False when the rasterizer has failed.
  bool draw_one(Rasterizer& rasterizer, State::Lock& lock, StageStats& sums) {
    InFlight<FrameToDraw> work = std::move(to_draw_.front());
    to_draw_.pop_front();
    PixelsPointer picture;
    if (!free_pictures_.empty()) {
      picture = std::move(free_pictures_.back());
      free_pictures_.pop_back();
    }
    ++drawing_;
    wake_generator();
    lock.unlock();

    StageStats stats;
    std::span<const std::uint8_t> bytes;  // of the file, where drawing has made it
    const std::optional<Error> error = catch_error([&] {
      if (!picture) picture = std::make_shared<FramePixels>();
      const FrameCircles& circles = work.content.circles;
      const Scene& scene = circles.scene ? *circles.scene : job_.scene;
      picture->fingerprint = circles.fingerprint;
      picture->seed = scene.seed;
      rasterizer.draw(circles.stream, job_.encoder.drawn(scene.image),
                      job_.encoder.file_target(*picture, work.frame), stats);
      bytes = job_.encoder.drawn_bytes(*picture, work.frame);
    });
    if (!error) sums.add(stats);

    lock.lock();
    --drawing_;
    if (error) {
      fail_draw(std::move(work), *error);
    } else {
      circles_.take_back(std::move(work.content.circles));
      if (const auto& shared = work.content.shared) {
        if (shared == shared_) shared->picture = picture;
        for (const auto& [index, frame] : shared->waiting) hand_to_encoders(index, frame, picture);
        shared->waiting.clear();
      }
      if (bytes.empty())
        hand_to_encoders(work.index, work.frame, std::move(picture));
      else
        hand_to_writers({work.index, work.frame, {{}, std::move(picture), bytes}});
    }
    wake_generator();
    if (must_help()) wake(kDrawable);
    return !error.has_value();
  }

  /// Another rasterizer may do better; without one the frame and all others fail.
  void fail_draw(InFlight<FrameToDraw> work, const Error& error) {
    --live_rasterizers_;
    if (live_rasterizers_ > 0 && !stop_) {
      to_draw_.push_front(std::move(work));
      wake_all();
      return;
    }
    fail_frame(work.index, work.frame, error);
    drop_waiting(work.content.shared);
    result_.gave_up = true;
    stop_locked();
  }

  // ---- encode: tasks on all cores --------------------------------------------------------------

  void hand_to_encoders(std::size_t index, std::int64_t frame, PixelsPointer picture) {
    to_encode_.push_back({index, frame, std::move(picture)});
    ++encode_tasks_;
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
      // oneTBB gets no thread, but has the task, which may run when all here is gone.
      std::terminate();
    }
  }
  void end_encode_task(State::Lock& lock) {
    --encode_tasks_;
    if (is_ending()) wake_all();
    lock.wake_at_once();  // nobody waits for the task itself
  }

  /// Encodes a picture, if a helping thread has not taken the last one.
  void encode_one(State::Lock& lock) {
    if (to_encode_.empty()) return;
    InFlight<PixelsPointer> work = std::move(to_encode_.front());
    to_encode_.pop_front();
    ++encoding_;
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
    --encoding_;
    encoded_.add(stats);
    recycle(std::move(work.content));
    if (error)
      fail_frame(work.index, work.frame, *error);
    else
      hand_to_writers({work.index, work.frame, std::move(encoded)});
  }

  void hand_to_writers(InFlight<Encoded> work) {
    to_write_.emplace(work.index, std::move(work));
    wake(kWritable);
    if (to_write_.size() > kBacklog) wake(kBacklogs);
  }

  // ---- write: a few threads, or one that keeps the order ---------------------------------------

  /// For each frame only the first writers are woken, the others where frames wait: on a GPU films
  /// take up to twice as long where many take turns (docs/bench/history.md).
  void write_frames(bool first) {
    StageStats sums;
    const Waiting waiting = first ? kWritable : kBacklogs;
    State::Lock lock(state_);
    for (;;) {
      lock.wait(waiting, [&] { return can_write(first) || all_written(); });
      if (!can_write(first)) break;
      InFlight<Encoded> work = std::move(to_write_.extract(to_write_.begin()).mapped());
      if (work.index >= end_index_) {
        --in_flight_;
        wake_generator();
        continue;
      }
      ++writing_;
      lock.unlock();
      write_one(work, lock, sums);
      recycle(std::move(work.content.picture));
      --writing_;
      wake_generator();
    }
    written_.add(sums);
  }

  bool can_write(bool first) const {
    if (to_write_.size() <= (first ? 0 : kBacklog)) return false;
    const std::size_t index = to_write_.begin()->first;
    return !job_.sink.in_order() || index == next_to_write_ || index >= end_index_;
  }

  void write_one(const InFlight<Encoded>& work, State::Lock& lock, StageStats& sums) {
    const std::span<const std::uint8_t> content = work.content.content;
    StageStats stats;
    const std::optional<Error> error = catch_error([&] {
      const StageTimer timer(stats, "write", StagePlace::kOutput);
      job_.sink.write(work.frame, content);
      stats.stage("write", StagePlace::kOutput).bytes = content.size();
    });
    if (!error) job_.on_written(work.frame, content.size());
    sums.add(stats);

    lock.lock();
    next_to_write_ = work.index + 1;
    if (error) {
      fail_frame(work.index, work.frame, *error);
      return;
    }
    --in_flight_;
    failures_in_a_row_ = 0;
    result_.written.push_back(work.frame);
    result_.bytes += content.size();
  }

  // ---- who waits for what ----------------------------------------------------------------------

  /// After something that one of the waiting threads was waiting for: waking all of them, for each
  /// step of each frame, would keep the others from the lock. At the end, all may go.
  void wake(Waiting waiting) {
    if (is_ending()) {
      wake_all();
    } else {
      state_.wake_one(waiting);
    }
  }
  /// Not for every frame, where there are some to draw.
  void wake_generator() {
    if (is_ending() || (has_room() && to_draw_.size() <= limits_.ahead / 2)) wake(kRoom);
  }
  void wake_all() { state_.wake_all(); }
  bool is_ending() const { return is_broken_ || (all_generated_ && to_draw_.empty()); }

  // ---- ends ------------------------------------------------------------------------------------

  void fail_frame(std::size_t index, std::int64_t frame, const Error& error) {
    --in_flight_;
    job_.sink.drop_claim(frame);  // another process may do better, and must not wait for it
    result_.failed.push_back({frame, error.exit_code(), error.what()});
    ++failures_in_a_row_;
    if (job_.sink.in_order()) {
      end_stream_at(index);
      stop_locked();
    } else if (failures_in_a_row_ >= kGiveUpAfter) {
      result_.gave_up = true;
      stop_locked();
    }
    wake_all();
  }

  /// Frames behind a gap in a stream are of no use.
  void end_stream_at(std::size_t index) {
    if (job_.sink.in_order()) end_index_ = std::min(end_index_, index);
  }

  void stop_locked() {
    if (!stop_) job_.on_stop();
    stop_ = true;
    drop_undrawn();
    wake_all();
  }

  /// After what a thread has thrown that is no failure of a frame, as for want of memory: what else
  /// is on its way counts no more, as the thread may have left it half done.
  void break_off(const Error& error) {
    const State::Lock lock(state_);
    is_broken_ = true;
    result_.error = error;
    stop_locked();
  }

  void drop_undrawn() {
    if (!to_draw_.empty()) end_stream_at(to_draw_.front().index);
    in_flight_ -= to_draw_.size();
    for (const InFlight<FrameToDraw>& work : to_draw_) {
      job_.sink.drop_claim(work.frame);
      drop_waiting(work.content.shared);
    }
    to_draw_.clear();
  }
  void drop_waiting(const std::shared_ptr<SharedPicture>& shared) {
    if (!shared) return;
    in_flight_ -= shared->waiting.size();
    for (const auto& [index, frame] : shared->waiting) job_.sink.drop_claim(frame);
    shared->waiting.clear();
  }

  bool all_written() const {
    return all_drawn() && encode_tasks_ == 0 &&
           (is_broken_ || (to_encode_.empty() && encoding_ == 0 && to_write_.empty()));
  }
  bool all_done() const { return all_written() && (is_broken_ || writing_ == 0); }

  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    State::Lock lock(state_);  // threads may have started tasks after it was broken off
    lock.wait(kEnded, [this] { return encode_tasks_ == 0; });
  }

  ExportJob job_;
  std::uint64_t budget_;  ///< bytes
  ExportCircles circles_;
  tbb::task_arena arena_;
  const ExportLimits limits_;
  Stopwatch watch_;

  mutable State state_;  ///< guards all below
  std::deque<InFlight<FrameToDraw>> to_draw_;
  std::vector<PixelsPointer> free_pictures_;
  std::deque<InFlight<PixelsPointer>> to_encode_;
  std::map<std::size_t, InFlight<Encoded>> to_write_;
  std::size_t in_flight_ = 0, drawing_ = 0, encoding_ = 0, writing_ = 0, encode_tasks_ = 0;
  std::size_t live_rasterizers_ = 0, next_index_ = 0, next_to_write_ = 0;
  std::size_t end_index_ = static_cast<std::size_t>(-1);  ///< of a stream: the first one left out
  std::size_t failures_in_a_row_ = 0;
  bool all_generated_ = false, stop_ = false, is_broken_ = false;
  std::shared_ptr<SharedPicture> shared_;  ///< of the last frame that was generated
  ExportResult result_;
  /// Sums over frames. A thread adds its own once it ends, not under the lock for each frame.
  StageStats generated_, drawn_, encoded_, written_;

  std::vector<std::thread> threads_;
};

}  // namespace

ExportResult export_frames(ExportJob job) {
  return ExportPipeline(std::move(job)).run();
}

}  // namespace roundel
