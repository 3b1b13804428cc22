#include "renderer/film/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/base/module.h"
#include "renderer/format/json_text.h"

namespace roundel {

// Messages between ranks.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Stage, name, resource, milliseconds, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageStats, stages, circles, overlaps, chunks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FailedFrame, frame, exit_code, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportResult, written, kept, failed, has_given_up, bytes, stages)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportCounts, written, failed, bytes, kept)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, exit_code, unfinished, result, problem)

namespace {

using Message = nlohmann::json;

#ifdef ROUNDEL_HAS_MPI
constexpr bool kHasMpi = true;
#else
constexpr bool kHasMpi = false;
#endif
constexpr const char* kMpiModule = "libroundel_mpi.so";

constexpr std::chrono::microseconds kPoll{200};

int environment_number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// Sends a question to the first rank and returns the answer.
Message ask(Messenger& messenger, const Message& question) {
  messenger.send(0, json_text(question));
  for (;;) {
    if (const auto answer = messenger.receive()) return Message::parse(answer->second);
    std::this_thread::sleep_for(kPoll);
  }
}

/// At most `count`.
FrameList take_first(std::deque<std::int64_t>& list, std::size_t count) {
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(count, list.size()));
  FrameList frames(list.begin(), end);
  list.erase(list.begin(), end);
  return frames;
}

}  // namespace

Ranks join_ranks(bool alone) {
  // srun --mpi=pmix does not set Open MPI's own variables.
  const bool has_others =
      environment_number("OMPI_COMM_WORLD_SIZE", 1) > 1 || std::getenv("PMIX_RANK") != nullptr;
  if (alone || !has_others) {
    return {0,
            1,
            {environment_number("OMPI_COMM_WORLD_LOCAL_RANK", 0),
             environment_number("OMPI_COMM_WORLD_LOCAL_SIZE", 1)},
            nullptr};
  }
  if (!kHasMpi)
    throw Error(ExitCode::kUsage,
                "this program was built without MPI; under mpirun add --shard auto");
  Ranks ranks;  // only ranks load the module with MPI
  module_function<void(Ranks*)>(kMpiModule, "roundel_join_mpi_ranks")(&ranks);
  return ranks;
}

std::string independent_tasks_warning() {
  const int tasks = environment_number("SLURM_STEP_NUM_TASKS", 1);
  const bool is_first = environment_number("SLURM_PROCID", 0) == 0;
  if (tasks <= 1 || !is_first || std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return "";
  return fmt::format(
      "each of the {} tasks of srun draws all frames; to share them, add --shard auto{}", tasks,
      kHasMpi ? ", or start the tasks with srun --mpi=pmix" : "");
}

std::string mpi_version() {
  if (!kHasMpi) return "";
  std::string version;
  module_function<void(std::string*)>(kMpiModule, "roundel_mpi_version")(&version);
  return version;
}

FirstRank::FirstRank(const Ranks& ranks, const FrameList& frames)
    : ranks_(ranks),
      left_(frames.begin(), frames.end()),
      counts_(static_cast<std::size_t>(ranks.count)) {
  if (!ranks_.messenger) return;
  try {
    helper_ = std::thread([this] { answer_questions(); });
  } catch (...) {
    std::terminate();  // see answer_questions()
  }
}

FirstRank::~FirstRank() {
  quit_ = true;
  if (helper_.joinable()) helper_.join();
}

std::optional<NextFrame> FirstRank::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_closed_ || !left_.empty() || have_others_ended(); });
  if (is_closed_ || left_.empty()) return std::nullopt;
  return NextFrame{take_first(left_, 1).front()};
}

void FirstRank::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

void FirstRank::release(std::int64_t frame, bool has_failed) {
  const std::lock_guard lock(mutex_);
  if (has_failed || is_stopped_) return;
  left_.push_front(frame);
  changed_.notify_all();
}

FrameList FirstRank::deal() {
  const std::lock_guard lock(mutex_);
  const std::size_t share = left_.size() / (4 * static_cast<std::size_t>(ranks_.count));
  return take_first(left_, std::clamp<std::size_t>(share, 1, 16));
}

void FirstRank::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  left_.clear();
}

ExportCounts FirstRank::others() const {
  const std::lock_guard lock(mutex_);
  ExportCounts sum;
  for (const ExportCounts& counts : counts_) sum += counts;
  return sum;
}

bool FirstRank::wait_for_others(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return have_others_ended(); });
}

std::vector<RankReport> FirstRank::take_reports() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

void FirstRank::dismiss(int exit_code) {
  for (int rank = 1; rank < ranks_.count; ++rank)
    ranks_.messenger->send(rank, json_text({{"exit_code", exit_code}}));
}

/// An exception ends the process, see prepare_process(), and the other ranks, which could only
/// wait.
void FirstRank::answer_questions() {
  while (!quit_) {
    if (const auto question = ranks_.messenger->receive())
      answer(question->first, question->second);
    else
      std::this_thread::sleep_for(kPoll);
  }
}

void FirstRank::answer(int rank, const std::string& text) {
  const Message question = Message::parse(text);
  std::unique_lock lock(mutex_);
  ExportCounts& counts = counts_[static_cast<std::size_t>(rank)];
  if (question.contains("counts")) {
    counts = question["counts"];
    lock.unlock();
    ranks_.messenger->send(rank, json_text({{"frames", deal()}}));
    return;
  }
  RankReport report = question["report"];  // dismiss() answers
  report.rank = rank;
  counts = report.result.counts();
  if (!is_stopped_) left_.insert(left_.begin(), report.unfinished.begin(), report.unfinished.end());
  reports_.push_back(std::move(report));
  ++ended_;
  changed_.notify_all();
}

std::optional<NextFrame> OtherRank::next() {
  if (dealt_.empty()) {
    std::unique_lock lock(mutex_);
    const Message question = {{"counts", counts_}};
    lock.unlock();
    const auto frames = ask(messenger_, question)["frames"].get<FrameList>();
    dealt_.assign(frames.begin(), frames.end());
  }
  if (dealt_.empty()) return std::nullopt;
  return NextFrame{take_first(dealt_, 1).front()};
}

void OtherRank::release(std::int64_t frame, bool has_failed) {
  const std::lock_guard lock(mutex_);
  if (!has_failed) unfinished_.push_back(frame);
}

void OtherRank::note(const ExportCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_ = counts;
}

int OtherRank::end(RankReport report) {
  report.unfinished = std::move(unfinished_);
  report.unfinished.insert(report.unfinished.end(), dealt_.begin(), dealt_.end());
  return ask(messenger_, {{"report", report}})["exit_code"];
}

}  // namespace roundel
