#include "renderer/sequence/export_pipeline.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "renderer/base/memory.h"
#include "renderer/base/stopwatch.h"
#include "renderer/render.h"
#include "renderer/sequence/export_circles.h"

namespace roundel {
namespace {

/// Threads that write files: on disks they mostly wait, into memory each takes a core.
constexpr std::size_t kLeastWriters = 4, kMostWriters = 16;
constexpr std::size_t kGiveUpAfter = 20;  ///< failures one after the other

using PixelsPointer = std::shared_ptr<FramePixels>;

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

/// True where all rasterizers make circles of recipes.
bool make_circles(const ExportJob& job) {
  return std::all_of(job.rasterizers.begin(), job.rasterizers.end(),
                     [&](const auto& one) { return one->makes_circles(count_parts(job.scene)); });
}

/// What `work` throws.
template <typename Work>
std::optional<Error> error_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (...) {
    return current_error();
  }
}

class ExportPipeline {
 public:
  explicit ExportPipeline(ExportJob job)
      : job_(std::move(job)),
        budget_(job_.memory_budget > 0 ? job_.memory_budget : physical_memory() / 4),
        circles_(job_.scene, budget_, job_.repeats, make_circles(job_)),
        arena_(job_.encoders > 0 ? job_.encoders : tbb::task_arena::automatic) {
    encoders_ = std::max(1, arena_.max_concurrency());
    const std::size_t rasterizers = job_.rasterizers.size();
    // Enough for every encoder to have the next picture waiting while rasterizers help out.
    const std::size_t wanted = 3 * static_cast<std::size_t>(encoders_) + 2 * rasterizers;
    // A picture, its filtered rows and its compressed ones.
    const std::uint64_t fit = budget_ / (3 * job_.encoder.picture_bytes());
    max_in_flight_ = std::clamp<std::size_t>(fit, rasterizers + 1, wanted);
    const std::uint64_t circle_bytes = count_parts(job_.scene) * (sizeof(Shape) + sizeof(Paint));
    const bool fits_ahead = circle_bytes * (rasterizers + 2) <= budget_;
    max_circles_ = rasterizers + (fits_ahead ? 2 : 0);
  }

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
    std::sort(result.written.begin(), result.written.end());
    result.seconds = watch_.seconds();
    result.processor_seconds = watch_.processor_seconds();
    result.threads = {job_.rasterizers.size(), static_cast<std::size_t>(encoders_), writers_};
    result.max_pictures = max_in_flight_;
    return result;
  }

 private:
  void start() {
    live_rasterizers_ = job_.rasterizers.size();
    threads_.emplace_back([this] { generate_frames(); });
    for (auto& rasterizer : job_.rasterizers) {
      threads_.emplace_back([this, &rasterizer] { draw_frames(*rasterizer); });
    }
    if (!job_.sink.in_order())
      writers_ = std::clamp(static_cast<std::size_t>(encoders_) / 2, kLeastWriters, kMostWriters);
    for (std::size_t i = 0; i < writers_; ++i) threads_.emplace_back([this] { write_frames(); });
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stop_locked();
  }

  /// At most until the next tick; true at the end.
  bool wait_for_end() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, std::chrono::duration<double>(job_.tick_seconds),
                           [this] { return all_done(); });
  }

  ExportCounts counts() const {
    const std::lock_guard lock(mutex_);
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
    std::unique_lock lock(mutex_);
    while (wait_for_room(lock)) {
      lock.unlock();
      StageStats stats;
      std::optional<NextFrame> next;
      const bool may_fail = job_.repeats && !job_.sink.in_order();
      const std::optional<Error> error = error_of([&] {
        next = circles_.next(job_.frames, may_fail, stats);
        if (next && next->circles && next->circles->scene) job_.on_scene(*next->circles->scene);
      });
      lock.lock();
      if (error) result_.error = error;  // frames before it are still drawn
      if (error || !next) break;
      result_.stages.add(stats);
      ++in_flight_;
      const std::size_t index = next_index_++;
      if (next->error) {
        fail_frame(index, next->frame, *next->error);
        continue;
      }
      if (!next->circles) {
        repeat_picture(index, next->frame);
        if (must_help()) wake(drawable_);
        continue;
      }
      to_draw_.push_back({index, next->frame, {std::move(*next->circles), share_picture()}});
      wake(drawable_);
    }
    all_generated_ = true;
    if (stop_) drop_undrawn();
    wake_all();
  }

  /// False when there is nothing more to generate.
  bool wait_for_room(std::unique_lock<std::mutex>& lock) {
    room_.wait(lock, [this] {
      return stop_ || (in_flight_ < max_in_flight_ && to_draw_.size() + drawing_ < max_circles_);
    });
    return !stop_;
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
  }
  /// To be drawn into again, unless another frame needs it.
  void recycle(PixelsPointer picture) {
    if (picture && picture.use_count() == 1) free_pictures_.push_back(std::move(picture));
  }

  // ---- draw: one thread a rasterizer -----------------------------------------------------------

  void draw_frames(Rasterizer& rasterizer) {
    std::unique_lock lock(mutex_);
    for (;;) {
      drawable_.wait(lock, [this] { return !to_draw_.empty() || must_help() || all_drawn(); });
      if (!to_draw_.empty()) {
        if (!draw_one(rasterizer, lock)) return;
      } else if (must_help()) {
        encode_one(lock);
      } else {
        return;
      }
    }
  }

  /// All frames on their way wait for encoders.
  bool must_help() const { return in_flight_ == max_in_flight_ && !to_encode_.empty(); }
  bool all_drawn() const { return all_generated_ && to_draw_.empty() && drawing_ == 0; }

  /// False when the rasterizer has failed.
  bool draw_one(Rasterizer& rasterizer, std::unique_lock<std::mutex>& lock) {
    InFlight<FrameToDraw> work = std::move(to_draw_.front());
    to_draw_.pop_front();
    PixelsPointer picture;
    if (!free_pictures_.empty()) {
      picture = std::move(free_pictures_.back());
      free_pictures_.pop_back();
    }
    ++drawing_;
    lock.unlock();

    StageStats stats;
    std::span<const std::uint8_t> bytes;  // of the file, where drawing has made it
    const std::optional<Error> error = error_of([&] {
      if (!picture) picture = std::make_shared<FramePixels>();
      const FrameCircles& circles = work.content.circles;
      const Scene& scene = circles.scene ? *circles.scene : job_.scene;
      picture->fingerprint = circles.fingerprint;
      picture->seed = scene.seed;
      rasterizer.draw(circles.stream, scene.image, job_.encoder.file_target(*picture, work.frame),
                      stats);
      bytes = job_.encoder.drawn_bytes(*picture, work.frame);
    });

    lock.lock();
    --drawing_;
    if (error) {
      fail_draw(std::move(work), *error);
    } else {
      result_.stages.add(stats);
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
    wake(room_);
    if (must_help()) wake(drawable_);
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
    drop_waiting(work.content);
    result_.gave_up = true;
    stop_locked();
  }

  // ---- encode: tasks on all cores --------------------------------------------------------------

  void hand_to_encoders(std::size_t index, std::int64_t frame, PixelsPointer picture) {
    to_encode_.push_back({index, frame, std::move(picture)});
    ++encode_tasks_;
    arena_.enqueue([this] {
      std::unique_lock lock(mutex_);
      encode_one(lock);
      --encode_tasks_;
      if (is_ending()) wake_all();
    });
  }

  /// Encodes a picture, if a helping thread has not taken the last one.
  void encode_one(std::unique_lock<std::mutex>& lock) {
    if (to_encode_.empty()) return;
    InFlight<PixelsPointer> work = std::move(to_encode_.front());
    to_encode_.pop_front();
    ++encoding_;
    lock.unlock();

    StageStats stats;
    Encoded encoded;
    const std::optional<Error> error = error_of([&] {
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
    result_.stages.add(stats);
    recycle(std::move(work.content));
    if (error) {
      fail_frame(work.index, work.frame, *error);
    } else {
      hand_to_writers({work.index, work.frame, std::move(encoded)});
    }
  }

  void hand_to_writers(InFlight<Encoded> work) {
    to_write_.emplace(work.index, std::move(work));
    wake(writable_);
  }

  // ---- write: a few threads, or one that keeps the order ---------------------------------------

  void write_frames() {
    std::unique_lock lock(mutex_);
    for (;;) {
      writable_.wait(lock, [this] { return can_write() || all_written(); });
      if (!can_write()) return;
      const auto first = to_write_.begin();
      InFlight<Encoded> work = std::move(first->second);
      to_write_.erase(first);
      if (work.index >= end_index_) {
        --in_flight_;
        wake(room_);
        continue;
      }
      ++writing_;
      lock.unlock();
      write_one(work, lock);
      recycle(std::move(work.content.picture));
      --writing_;
      wake(room_);
    }
  }

  bool can_write() const {
    if (to_write_.empty()) return false;
    const std::size_t index = to_write_.begin()->first;
    return !job_.sink.in_order() || index == next_to_write_ || index >= end_index_;
  }

  void write_one(const InFlight<Encoded>& work, std::unique_lock<std::mutex>& lock) {
    const std::span<const std::uint8_t> content = work.content.content;
    StageStats stats;
    const std::optional<Error> error = error_of([&] {
      const StageTimer timer(stats, "write", StagePlace::kOutput);
      job_.sink.write(work.frame, content);
      stats.stage("write", StagePlace::kOutput).bytes = content.size();
    });
    if (!error) job_.on_written(work.frame, content.size());

    lock.lock();
    next_to_write_ = work.index + 1;
    result_.stages.add(stats);
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
  void wake(std::condition_variable& waiting) {
    if (is_ending()) {
      wake_all();
    } else {
      waiting.notify_one();
    }
  }
  void wake_all() {
    for (std::condition_variable* waiting : {&room_, &drawable_, &writable_, &ended_})
      waiting->notify_all();
  }
  bool is_ending() const { return all_generated_ && to_draw_.empty(); }

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
    stop_ = true;
    drop_undrawn();
    wake_all();
  }

  void drop_undrawn() {
    if (!to_draw_.empty()) end_stream_at(to_draw_.front().index);
    in_flight_ -= to_draw_.size();
    for (const InFlight<FrameToDraw>& work : to_draw_) drop_waiting(work.content);
    to_draw_.clear();
  }
  void drop_waiting(const FrameToDraw& work) {
    if (!work.shared) return;
    in_flight_ -= work.shared->waiting.size();
    work.shared->waiting.clear();
  }

  bool all_written() const {
    return all_drawn() && encode_tasks_ == 0 && to_encode_.empty() && encoding_ == 0 &&
           to_write_.empty();
  }
  bool all_done() const { return all_written() && writing_ == 0; }

  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  ExportJob job_;
  std::uint64_t budget_;  ///< bytes
  ExportCircles circles_;
  tbb::task_arena arena_;
  int encoders_ = 1;
  std::size_t writers_ = 1;
  std::size_t max_in_flight_ = 0;  ///< frames generated and not yet written
  std::size_t max_circles_ = 0;    ///< sets of circles
  Stopwatch watch_;

  mutable std::mutex mutex_;          ///< guards all below
  std::condition_variable room_;      ///< for the generating thread
  std::condition_variable drawable_;  ///< for those of the rasterizers: frames, or need of help
  std::condition_variable writable_;  ///< for those that write
  std::condition_variable ended_;     ///< for run()
  std::deque<InFlight<FrameToDraw>> to_draw_;
  std::vector<PixelsPointer> free_pictures_;
  std::deque<InFlight<PixelsPointer>> to_encode_;
  std::map<std::size_t, InFlight<Encoded>> to_write_;
  std::size_t in_flight_ = 0, drawing_ = 0, encoding_ = 0, writing_ = 0, encode_tasks_ = 0;
  std::size_t live_rasterizers_ = 0, next_index_ = 0, next_to_write_ = 0;
  std::size_t end_index_ = static_cast<std::size_t>(-1);  ///< of a stream: the first one left out
  std::size_t failures_in_a_row_ = 0;
  bool all_generated_ = false, stop_ = false;
  std::shared_ptr<SharedPicture> shared_;  ///< of the last frame that was generated
  ExportResult result_;

  std::vector<std::thread> threads_;
};

}  // namespace

ExportResult export_frames(ExportJob job) {
  return ExportPipeline(std::move(job)).run();
}

}  // namespace roundel
