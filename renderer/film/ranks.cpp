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
#include "renderer/render.h"

namespace roundel {

// What ranks tell each other of these.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Stage, name, place, milliseconds, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageStats, stages, circles, overlaps, chunks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FailedFrame, frame, exit_code, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportResult, written, kept, failed, gave_up, bytes, stages)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportCounts, written, failed, bytes, kept)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, rank, exit_code, unfinished, result, problem)

namespace {

using Message = nlohmann::json;

#ifdef ROUNDEL_HAS_MPI
constexpr bool kHasMpi = true;
#else
constexpr bool kHasMpi = false;
#endif
constexpr const char* kMpiModule = "libroundel_mpi.so";

constexpr std::chrono::microseconds kPoll{200};
constexpr std::size_t kSlice = std::size_t{64} << 20;  // bytes of a band in one message

int environment_number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

void send(Messenger& messenger, int to, MessageKind kind, const std::string& text) {
  messenger.send(to, kind, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Message wait_for(Messenger& messenger, MessageKind kind) {
  for (;;) {
    if (const auto message = messenger.receive(kind, 0)) return Message::parse(message->second);
    std::this_thread::sleep_for(kPoll);
  }
}

/// To all other ranks.
void order_bands(const Ranks& ranks, const Message& order) {
  for (int rank = 1; rank < ranks.count; ++rank) {
    send(*ranks.messenger, rank, MessageKind::kOrder, json_text(order));
  }
}

/// Takes the first one of those that were dealt.
std::optional<std::int64_t> take_first(std::deque<std::int64_t>& dealt) {
  if (dealt.empty()) return std::nullopt;
  const std::int64_t frame = dealt.front();
  dealt.pop_front();
  return frame;
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
  Ranks ranks;  // MPI is in a module, so that only ranks load it
  module_function<void(Ranks*)>(kMpiModule, "roundel_join_mpi_ranks")(&ranks);
  return ranks;
}

std::string lone_tasks_problem() {
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

FrameList FrameDealer::deal() {
  constexpr std::size_t kMost = 16;
  if (stopped_) return {};
  if (const auto returned = take_first(returned_)) return {*returned};
  const std::size_t left = frames_.size() - next_;
  const std::size_t share = left / (4 * static_cast<std::size_t>(ranks_));
  const std::size_t number = std::min(left, std::clamp<std::size_t>(share, 1, kMost));
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(next_);
  next_ += number;
  return {begin, begin + static_cast<std::ptrdiff_t>(number)};
}

void FrameDealer::take_back(const FrameList& frames) {
  returned_.insert(returned_.end(), frames.begin(), frames.end());
}

FirstRank::FirstRank(const Ranks& ranks)
    : ranks_(ranks),
      others_(static_cast<std::size_t>(ranks.count)),
      has_ended_(static_cast<std::size_t>(ranks.count)) {}

FirstRank::~FirstRank() {
  quit_ = true;
  if (helper_.joinable()) helper_.join();
}

void FirstRank::hand_out(FrameList frames) {
  dealer_.emplace(std::move(frames), ranks_.count);
  if (!ranks_.messenger) return;
  try {
    helper_ = std::thread([this] { answer_questions(); });
  } catch (...) {
    std::terminate();  // see answer_questions()
  }
}

std::optional<std::int64_t> FirstRank::next() {
  const std::lock_guard lock(mutex_);
  if (own_.empty()) {
    const FrameList dealt = dealer_->deal();
    own_.assign(dealt.begin(), dealt.end());
  }
  return take_first(own_);
}

void FirstRank::stop() {
  if (!dealer_) hand_out({});  // failed early; the others are to hear of it
  const std::lock_guard lock(mutex_);
  dealer_->stop();
}

void FirstRank::take_back(const FrameList& unfinished) {
  const std::lock_guard lock(mutex_);
  dealer_->take_back(unfinished);
  dealer_->take_back({own_.begin(), own_.end()});
  own_.clear();
}

bool FirstRank::has_frames() const {
  const std::lock_guard lock(mutex_);
  return ranks_.count > 1 && dealer_ && !dealer_->is_empty();
}

ExportCounts FirstRank::others() const {
  const std::lock_guard lock(mutex_);
  ExportCounts sum;
  for (const ExportCounts& counts : others_) {
    sum.written += counts.written;
    sum.failed += counts.failed;
    sum.bytes += counts.bytes;
    sum.kept += counts.kept;
  }
  return sum;
}

bool FirstRank::wait_for_others(double seconds) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] {
    return std::count(has_ended_.begin(), has_ended_.end(), true) + 1 == ranks_.count;
  });
}

bool FirstRank::has_ended(int rank) const {
  const std::lock_guard lock(mutex_);
  return has_ended_[static_cast<std::size_t>(rank)];
}

std::vector<RankReport> FirstRank::take_reports() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

void FirstRank::dismiss(int exit_code) {
  const std::string text = json_text({{"exit_code", exit_code}});
  for (int rank = 1; rank < ranks_.count; ++rank) {
    send(*ranks_.messenger, rank, MessageKind::kAnswer, text);
  }
}

/// What this throws ends the process, see prepare_process(), and with it the other ranks, who could
/// only wait.
void FirstRank::answer_questions() {
  while (!quit_) {
    if (const auto question =
            ranks_.messenger->receive(MessageKind::kQuestion, Messenger::kAnyRank)) {
      answer(question->first, question->second);
    } else {
      std::this_thread::sleep_for(kPoll);
    }
  }
}

void FirstRank::answer(int rank, const std::string& text) {
  const Message question = Message::parse(text);
  FrameList dealt;
  {
    const std::lock_guard lock(mutex_);
    others_[static_cast<std::size_t>(rank)] = question["counts"];
    if (question.contains("report")) {
      reports_.push_back(question["report"]);
      has_ended_[static_cast<std::size_t>(rank)] = true;
      dealer_->take_back(reports_.back().unfinished);
      ended_.notify_all();
      return;  // dismiss() answers
    }
    dealt = dealer_->deal();
  }
  send(*ranks_.messenger, rank, MessageKind::kAnswer, json_text({{"frames", dealt}}));
}

std::optional<std::int64_t> OtherRank::next() {
  if (dealt_.empty()) {
    send(messenger_, 0, MessageKind::kQuestion, question());
    const auto frames = wait_for(messenger_, MessageKind::kAnswer)["frames"].get<FrameList>();
    dealt_.assign(frames.begin(), frames.end());
  }
  return take_first(dealt_);
}

void OtherRank::note(const ExportCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_ = counts;
}

int OtherRank::end(RankReport report) {
  report.rank = rank_;
  report.unfinished.insert(report.unfinished.end(), dealt_.begin(), dealt_.end());
  send(messenger_, 0, MessageKind::kQuestion, question(&report));
  return wait_for(messenger_, MessageKind::kAnswer)["exit_code"];
}

std::string OtherRank::question(const RankReport* report) const {
  const std::lock_guard lock(mutex_);
  Message json = {{"counts", counts_}};
  if (report != nullptr) json["report"] = *report;
  return json_text(json);
}

void RankBands::expect(std::int64_t frame) {
  const std::lock_guard lock(mutex_);
  expected_.push_back(frame);
}

void RankBands::order() {
  std::unique_lock lock(mutex_);
  const std::int64_t frame = take_first(expected_).value();
  lock.unlock();
  order_bands(ranks_, {{"frame", frame}});
}

void RankBands::receive(int index, std::span<std::uint8_t> bytes) {
  Messenger& messenger = *ranks_.messenger;
  auto message = messenger.receive(MessageKind::kBand, index);
  while (!message) {
    if (first_.has_ended(index)) {
      throw Error(ExitCode::kRuntimeFailure, fmt::format("rank {} has ended", index));
    }
    std::this_thread::sleep_for(kPoll);
    message = messenger.receive(MessageKind::kBand, index);
  }
  if (!message->second.empty()) {
    throw Error(ExitCode::kRuntimeFailure, fmt::format("rank {}: {}", index, message->second));
  }
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kSlice, bytes.size()))) {
    messenger.receive_into(index, MessageKind::kBandBytes,
                           bytes.first(std::min(kSlice, bytes.size())));
  }
}

std::optional<std::int64_t> DrawnFrames::next() {
  const auto frame = frames_.next();
  const std::lock_guard lock(mutex_);
  if (frame) drawn_.insert(*frame);
  return frame;
}

void DrawnFrames::forget(std::int64_t frame) {
  const std::lock_guard lock(mutex_);
  drawn_.erase(frame);
}

FrameList DrawnFrames::unfinished(const ExportResult& result) const {
  FrameList ended = result.kept;
  for (const FailedFrame& failed : result.failed) ended.push_back(failed.frame);
  std::sort(ended.begin(), ended.end());
  return frames_without({drawn_.begin(), drawn_.end()}, ended);
}

std::optional<std::int64_t> AnnouncedFrames::next() {
  const auto frame = frames_.next();
  if (frame) bands_.expect(*frame);
  return frame;
}

void end_bands(const Ranks& ranks) {
  order_bands(ranks, {{"end", true}});
}

void draw_ordered_bands(const Scene& scene, const FrameEncoder& encoder, const Ranks& ranks,
                        std::vector<std::unique_ptr<Rasterizer>> rasterizers) {
  Messenger& messenger = *ranks.messenger;
  BandPainter painter(std::move(rasterizers));
  FilmSource source(scene);
  Circles circles;
  FramePixels picture;
  const FrameTarget out = encoder.target(picture);
  const RowBand band = part_of({0, scene.image.height}, ranks.index, ranks.count);
  for (;;) {
    const Message order = wait_for(messenger, MessageKind::kOrder);
    if (order.contains("end")) return;
    try {
      StageStats stats;
      const std::int64_t frame = order["frame"];
      const FilmSource::Frame now = source.at(frame);
      now.circles->generate(frame, circles);
      painter.draw(circles, encoder.drawn(now.scene->image), band, out, stats);
    } catch (const std::exception& error) {
      const std::string text = error.what();
      send(messenger, 0, MessageKind::kBand, text.empty() ? "failed" : text);
      continue;
    }
    send(messenger, 0, MessageKind::kBand, "");
    std::span<const std::uint8_t> bytes = band_bytes(out, band);
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kSlice, bytes.size()))) {
      messenger.send(0, MessageKind::kBandBytes, bytes.first(std::min(kSlice, bytes.size())));
    }
  }
}

}  // namespace roundel
