// Ranks that talk through MPI. Plain messages: a rank asks the first one, whose helper thread looks
// for questions every 200 µs and answers at once, whatever its other threads do. (A counter in a
// window, drawn by MPI_Fetch_and_op, is no answer: over TCP its progress depends on what the first
// rank does.) MPI is called by several threads, but by one at a time, under one mutex; nobody waits
// inside MPI, where Open MPI would spin.
#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/module.h"
#include "tools/roundel/export/frame_dealer.h"
#include "tools/roundel/export/ranks.h"

namespace roundel {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::microseconds kPoll{200};
constexpr int kQuestion = 1, kAnswer = 2, kOrder = 3, kBand = 4, kBandBytes = 5;  // tags
constexpr std::size_t kSlice = std::size_t{64} << 20;  // bytes of a band in one message

void check(int result, const char* what) {
  if (result != MPI_SUCCESS) {
    throw Error(ExitCode::kRuntimeFailure, fmt::format("MPI: {} failed", what));
  }
}

/// Messages between ranks: JSON, as bytes.
class Messenger {
 public:
  Messenger() {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_SERIALIZED) {
      throw Error(ExitCode::kRuntimeFailure, "MPI: this library does not work with threads");
    }
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    MPI_Comm machine = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(machine, &local.index), "MPI_Comm_rank");
    check(MPI_Comm_size(machine, &local.count), "MPI_Comm_size");
    check(MPI_Comm_free(&machine), "MPI_Comm_free");
  }
  ~Messenger() { MPI_Finalize(); }
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  void send(int to, int tag, const Json& message) {
    const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    send_bytes(to, tag, text.data(), text.size());
  }

  /// The next message with this tag, if one has come, and who sent it.
  std::optional<std::pair<int, Json>> receive(int tag, int from = MPI_ANY_SOURCE) {
    const std::lock_guard lock(mutex_);
    int has_come = 0;
    MPI_Status status;
    check(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &has_come, &status), "MPI_Iprobe");
    if (has_come == 0) return std::nullopt;
    int length = 0;
    check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    std::string text(static_cast<std::size_t>(length), '\0');
    check(MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    return std::pair(status.MPI_SOURCE, Json::parse(text));
  }

  Json wait_for(int tag) {
    for (;;) {
      if (auto message = receive(tag)) return std::move(message->second);
      std::this_thread::sleep_for(kPoll);
    }
  }

  void send_bytes(int to, int tag, const void* bytes, std::size_t count) {
    wait([&](MPI_Request* request) {
      return MPI_Isend(bytes, static_cast<int>(count), MPI_CHAR, to, tag, MPI_COMM_WORLD, request);
    });
  }
  void receive_bytes(int from, int tag, void* bytes, std::size_t count) {
    wait([&](MPI_Request* request) {
      return MPI_Irecv(bytes, static_cast<int>(count), MPI_CHAR, from, tag, MPI_COMM_WORLD,
                       request);
    });
  }

  int rank = 0, size = 1;
  LocalRank local;

 private:
  /// Starts something and waits until it is done.
  template <typename Start>
  void wait(const Start& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex_);
      check(start(&request), "a message");
    }
    for (int done = 0; done == 0;) {
      {
        const std::lock_guard lock(mutex_);
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      }
      if (done == 0) std::this_thread::sleep_for(kPoll);
    }
  }

  std::mutex mutex_;
};

Json to_json(const RankReport& report) {
  Json failed = Json::array(), stages = Json::array();
  for (const FailedFrame& f : report.result.failed) {
    failed.push_back({f.frame, static_cast<int>(f.exit_code), f.message});
  }
  for (const Stage& stage : report.result.stages.stages) {
    stages.push_back({stage.name, stage.milliseconds, stage.bytes});
  }
  return {{"exit_code", report.exit_code},
          {"unfinished", report.unfinished},
          {"written", report.result.written},
          {"failed", failed},
          {"gave_up", report.result.gave_up},
          {"bytes", report.result.bytes},
          {"stages", stages},
          {"problem", report.problem}};
}

RankReport report_from(const Json& json) {
  RankReport report;
  report.exit_code = json["exit_code"];
  report.unfinished = json["unfinished"].get<FrameList>();
  report.result.written = json["written"].get<FrameList>();
  report.result.gave_up = json["gave_up"];
  report.result.bytes = json["bytes"];
  report.problem = json["problem"];
  for (const Json& f : json["failed"]) {
    report.result.failed.push_back({f[0], static_cast<ExitCode>(f[1].get<int>()), f[2]});
  }
  for (const Json& stage : json["stages"]) {
    report.result.stages.stages.push_back({stage[0], stage[1], stage[2]});
  }
  return report;
}

/// The first rank: deals frames to itself and, from a helper thread, to the others.
class FirstRank final : public Ranks {
 public:
  explicit FirstRank(std::unique_ptr<Messenger> messenger) : messenger_(std::move(messenger)) {
    others_.resize(static_cast<std::size_t>(messenger_->size));
  }
  ~FirstRank() override {
    quit_ = true;
    if (helper_.joinable()) helper_.join();
  }

  int index() const override { return 0; }
  int count() const override { return messenger_->size; }
  LocalRank local() const override { return messenger_->local; }

  void hand_out(FrameList frames) override {
    dealer_.emplace(std::move(frames), messenger_->size);
    helper_ = std::thread([this] { answer_questions(); });
  }
  std::optional<std::int64_t> next() override {
    const std::lock_guard lock(mutex_);
    if (own_.empty()) {
      const FrameList dealt = dealer_->deal();
      own_.assign(dealt.begin(), dealt.end());
    }
    if (own_.empty()) return std::nullopt;
    const std::int64_t frame = own_.front();
    own_.pop_front();
    return frame;
  }
  void stop() override {
    if (!helper_.joinable()) hand_out({});  // failed early; the others are to hear of it
    const std::lock_guard lock(mutex_);
    dealer_->stop();
  }
  bool has_frames() const override {
    const std::lock_guard lock(mutex_);
    return dealer_ && !dealer_->is_empty();
  }
  ExportCounts others() const override {
    const std::lock_guard lock(mutex_);
    ExportCounts sum;
    for (const ExportCounts& counts : others_) {
      sum.written += counts.written;
      sum.failed += counts.failed;
      sum.bytes += counts.bytes;
    }
    return sum;
  }
  bool wait_for_others(double seconds) override {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] {
      return reports_.size() + 1 == static_cast<std::size_t>(messenger_->size);
    });
  }
  std::vector<RankProblem> take_problems() override {
    const std::lock_guard lock(mutex_);
    std::vector<RankProblem> problems;
    for (; heard_ < reports_.size(); ++heard_) {
      const RankReport& report = reports_[heard_];
      if (report.problem.empty()) continue;
      problems.push_back({ended_ranks_[heard_], report.exit_code, report.problem});
    }
    return problems;
  }
  std::vector<RankReport> take_reports() override {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  void dismiss(int exit_code) override {
    for (int rank = 1; rank < messenger_->size; ++rank) {
      messenger_->send(rank, kAnswer, {{"exit_code", exit_code}});
    }
  }
  void order_bands(std::optional<std::int64_t> frame) override {
    const Json order = frame ? Json{{"frame", *frame}} : Json{{"end", true}};
    for (int rank = 1; rank < messenger_->size; ++rank) messenger_->send(rank, kOrder, order);
  }
  void receive_band(int rank, std::span<std::uint8_t> bytes) override {
    auto message = messenger_->receive(kBand, rank);
    while (!message) {
      if (has_ended(rank)) {
        throw Error(ExitCode::kRuntimeFailure, fmt::format("rank {} has ended", rank));
      }
      std::this_thread::sleep_for(kPoll);
      message = messenger_->receive(kBand, rank);
    }
    if (message->second.contains("error")) {
      throw Error(ExitCode::kRuntimeFailure,
                  fmt::format("rank {}: {}", rank, message->second["error"].get<std::string>()));
    }
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kSlice, bytes.size()))) {
      messenger_->receive_bytes(rank, kBandBytes, bytes.data(), std::min(kSlice, bytes.size()));
    }
  }
  std::optional<std::int64_t> wait_for_order() override { return std::nullopt; }
  void send_band(std::span<const std::uint8_t> /*bytes*/) override {}
  void send_failure(const std::string& /*message*/) override {}
  void note(const ExportCounts& /*counts*/) override {}
  int end(const RankReport& report) override {
    const std::lock_guard lock(mutex_);
    dealer_->take_back(report.unfinished);
    dealer_->take_back({own_.begin(), own_.end()});
    own_.clear();
    return report.exit_code;
  }

 private:
  bool has_ended(int rank) const {
    const std::lock_guard lock(mutex_);
    return std::find(ended_ranks_.begin(), ended_ranks_.end(), rank) != ended_ranks_.end();
  }

  void answer_questions() {
    while (!quit_) {
      if (const auto question = messenger_->receive(kQuestion)) {
        answer(question->first, question->second);
      } else {
        std::this_thread::sleep_for(kPoll);
      }
    }
  }

  void answer(int rank, const Json& question) {
    FrameList dealt;
    {
      const std::lock_guard lock(mutex_);
      ExportCounts& counts = others_[static_cast<std::size_t>(rank)];
      counts.written = question["written"];
      counts.failed = question["failed"];
      counts.bytes = question["bytes"];
      if (question.contains("report")) {
        reports_.push_back(report_from(question["report"]));
        ended_ranks_.push_back(rank);
        dealer_->take_back(reports_.back().unfinished);
        ended_.notify_all();
        return;  // dismiss() answers
      }
      dealt = dealer_->deal();
    }
    messenger_->send(rank, kAnswer, {{"frames", dealt}});
  }

  std::unique_ptr<Messenger> messenger_;
  std::atomic<bool> quit_{false};
  std::thread helper_;

  mutable std::mutex mutex_;  ///< guards all below
  std::condition_variable ended_;
  std::optional<FrameDealer> dealer_;
  std::deque<std::int64_t> own_;
  std::vector<ExportCounts> others_;  ///< by rank
  std::vector<RankReport> reports_;
  std::vector<int> ended_ranks_;  ///< whose reports these are
  std::size_t heard_ = 0;         ///< reports whose problems were taken
};

/// Any other rank: asks the first one.
class OtherRank final : public Ranks {
 public:
  explicit OtherRank(std::unique_ptr<Messenger> messenger) : messenger_(std::move(messenger)) {}

  int index() const override { return messenger_->rank; }
  int count() const override { return messenger_->size; }
  LocalRank local() const override { return messenger_->local; }

  std::optional<std::int64_t> next() override {
    if (dealt_.empty()) {
      messenger_->send(0, kQuestion, question());
      const auto frames = messenger_->wait_for(kAnswer)["frames"].get<FrameList>();
      dealt_.assign(frames.begin(), frames.end());
    }
    if (dealt_.empty()) return std::nullopt;
    const std::int64_t frame = dealt_.front();
    dealt_.pop_front();
    return frame;
  }
  void note(const ExportCounts& counts) override {
    const std::lock_guard lock(mutex_);
    counts_ = counts;
  }
  int end(const RankReport& report) override {
    RankReport whole = report;
    whole.unfinished.insert(whole.unfinished.end(), dealt_.begin(), dealt_.end());
    Json message = question();
    message["report"] = to_json(whole);
    messenger_->send(0, kQuestion, message);
    return messenger_->wait_for(kAnswer)["exit_code"];
  }

  std::optional<std::int64_t> wait_for_order() override {
    const Json order = messenger_->wait_for(kOrder);
    if (order.contains("end")) return std::nullopt;
    return order["frame"].get<std::int64_t>();
  }
  void send_band(std::span<const std::uint8_t> bytes) override {
    messenger_->send(0, kBand, Json::object());
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kSlice, bytes.size()))) {
      messenger_->send_bytes(0, kBandBytes, bytes.data(), std::min(kSlice, bytes.size()));
    }
  }
  void send_failure(const std::string& message) override {
    messenger_->send(0, kBand, {{"error", message}});
  }

  void order_bands(std::optional<std::int64_t> /*frame*/) override {}
  void receive_band(int /*rank*/, std::span<std::uint8_t> /*bytes*/) override {}
  void hand_out(FrameList /*frames*/) override {}
  void stop() override {}
  bool has_frames() const override { return false; }
  ExportCounts others() const override { return {}; }
  bool wait_for_others(double /*seconds*/) override { return true; }
  std::vector<RankProblem> take_problems() override { return {}; }
  std::vector<RankReport> take_reports() override { return {}; }
  void dismiss(int /*exit_code*/) override {}

 private:
  Json question() const {
    const std::lock_guard lock(mutex_);
    return {{"written", counts_.written}, {"failed", counts_.failed}, {"bytes", counts_.bytes}};
  }

  std::unique_ptr<Messenger> messenger_;
  std::deque<std::int64_t> dealt_;
  mutable std::mutex mutex_;
  ExportCounts counts_;
};

}  // namespace
}  // namespace roundel

/// The module's only own function: a new object.
ROUNDEL_MODULE_FUNCTION roundel::Ranks* roundel_make_mpi_ranks() {
  using namespace roundel;
  auto messenger = std::make_unique<Messenger>();
  if (messenger->rank == 0) return new FirstRank(std::move(messenger));
  return new OtherRank(std::move(messenger));
}
