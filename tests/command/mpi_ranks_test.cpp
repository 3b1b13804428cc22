#include "renderer/film/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "tools/roundel/cli/machine.h"

namespace roundel {
namespace {

TEST(FirstRank, DealsEveryFrameOnceInOrder) {
  for (const std::int64_t count : {0, 1, 7, 1000}) {
    for (const int others : {0, 1, 7}) {
      const Ranks ranks{0, others + 1, {}, nullptr};
      FirstRank first(ranks, run_of_frames(0, count));
      FrameList all;
      for (FrameList dealt = first.deal(); !dealt.empty(); dealt = first.deal()) {
        all.insert(all.end(), dealt.begin(), dealt.end());
      }
      EXPECT_EQ(all, run_of_frames(0, count));
    }
  }
}

TEST(FirstRank, DealsRunsFirstAndSingleFramesAtTheEnd) {
  const Ranks ranks{0, 4, {}, nullptr};
  FirstRank first(ranks, run_of_frames(0, 1000));
  EXPECT_EQ(first.deal().size(), 16U);
  std::size_t left = 1000 - 16;
  while (left > 8) left -= first.deal().size();
  EXPECT_EQ(first.deal().size(), 1U);
}

TEST(FirstRank, DealsReturnedFramesAgainUntilStopped) {
  const Ranks ranks{0, 2, {}, nullptr};
  FirstRank first(ranks, run_of_frames(0, 2));
  EXPECT_EQ(first.next()->number, 0);
  first.release(0, false);
  EXPECT_EQ(first.deal(), FrameList{0});
  EXPECT_EQ(first.deal(), FrameList{1});
  first.release(1, true);
  EXPECT_EQ(first.deal(), FrameList());
  first.release(0, false);
  first.stop();
  EXPECT_EQ(first.deal(), FrameList());
  first.release(1, false);
  EXPECT_EQ(first.deal(), FrameList());
}

/// Ranks in one process: a mailbox for each.
class Post {
 public:
  explicit Post(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}

  Ranks ranks(int index) {
    return {index, static_cast<int>(boxes_.size()), {}, std::make_unique<Carrier>(*this, index)};
  }

 private:
  using Letter = std::pair<int, std::string>;

  class Carrier final : public Messenger {
   public:
    Carrier(Post& post, int own) : post_(post), own_(own) {}
    void send(int to, const std::string& text) override {
      const std::lock_guard lock(post_.mutex_);
      post_.boxes_[static_cast<std::size_t>(to)].emplace_back(own_, text);
    }
    std::optional<Letter> receive() override {
      const std::lock_guard lock(post_.mutex_);
      auto& box = post_.boxes_[static_cast<std::size_t>(own_)];
      if (box.empty()) return std::nullopt;
      Letter letter = std::move(box.front());
      box.pop_front();
      return letter;
    }

   private:
    Post& post_;
    int own_;
  };

  std::mutex mutex_;
  std::vector<std::deque<Letter>> boxes_;
};

FrameList draw_all(FrameSource& source) {
  FrameList drawn;
  while (const auto frame = source.next()) drawn.push_back(frame->number);
  return drawn;
}

TEST(Ranks, ShareTheFramesAndReportToTheFirstOne) {
  constexpr int kCount = 4;
  Post post(kCount);
  const Ranks ranks = post.ranks(0);
  FirstRank first(ranks, run_of_frames(0, 500));
  std::vector<FrameList> drawn(kCount);
  std::vector<int> codes(kCount);
  std::vector<std::thread> others;
  for (int i = 1; i < kCount; ++i) {
    others.emplace_back([&, i] {
      const Ranks own = post.ranks(i);
      OtherRank other(own);
      const auto index = static_cast<std::size_t>(i);
      drawn[index] = draw_all(other);
      RankReport report;
      report.exit_code = i;
      report.result.written = drawn[index];
      report.result.bytes = 100;
      report.problem = i == 2 ? "out of luck" : "";
      other.note({drawn[index].size(), 0, 100});
      codes[index] = other.end(report);
    });
  }
  drawn[0] = draw_all(first);
  EXPECT_TRUE(first.wait_for_others(0));  // or they might leave frames
  EXPECT_EQ(first.others().bytes, 300U);
  const std::vector<RankReport> reports = first.take_reports();
  ASSERT_EQ(reports.size(), 3U);
  for (const RankReport& report : reports) {
    EXPECT_EQ(report.exit_code, report.rank);
    EXPECT_EQ(report.problem, report.rank == 2 ? "out of luck" : "");
    EXPECT_EQ(report.result.written, drawn[static_cast<std::size_t>(report.rank)]);
  }
  EXPECT_TRUE(first.take_reports().empty());
  first.dismiss(5);
  for (std::thread& other : others) other.join();
  EXPECT_EQ(codes, (std::vector<int>{0, 5, 5, 5}));
  FrameList all;
  for (const FrameList& part : drawn) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, run_of_frames(0, 500));
}

TEST(Ranks, FirstRankDrawsFramesLeftByOthers) {
  Post post(2);
  const Ranks ranks = post.ranks(0), own = post.ranks(1);
  FirstRank first(ranks, {7});
  std::atomic<bool> has_frame{false};
  std::thread thread([&] {
    OtherRank other(own);
    other.release(other.next()->number, false);
    has_frame = true;
    other.end({});
  });
  while (!has_frame) std::this_thread::yield();
  EXPECT_EQ(first.next()->number, 7);  // it waits for the other one
  EXPECT_FALSE(first.next());
  EXPECT_EQ(first.take_reports().at(0).unfinished, FrameList{7});
  first.dismiss(0);
  thread.join();
}

TEST(Ranks, FailedFramesAreNotDealtAgain) {
  Post post(2);
  const Ranks ranks = post.ranks(0), own = post.ranks(1);
  FirstRank first(ranks, run_of_frames(0, 100));
  std::atomic<bool> has_frame{false};
  std::thread thread([&] {
    OtherRank other(own);
    other.release(other.next()->number, true);
    has_frame = true;
    other.end({});  // leaves the frames that came with that one
  });
  while (!has_frame) std::this_thread::yield();
  EXPECT_EQ(draw_all(first).size(), 99U);
  first.dismiss(0);
  thread.join();
}

TEST(Ranks, ClosedFirstRankDoesNotWait) {
  Post post(2);
  const Ranks ranks = post.ranks(0), own = post.ranks(1);
  FirstRank first(ranks, {});
  std::thread closes([&] { first.close(); });
  EXPECT_FALSE(first.next());
  closes.join();
  first.release(3, false);
  EXPECT_FALSE(first.next());
  EXPECT_EQ(first.deal(), FrameList{3});
}

TEST(Ranks, SingleProcessDrawsAllFramesWithoutWaiting) {
  const Ranks alone;
  FirstRank first(alone, run_of_frames(0, 50));
  EXPECT_EQ(draw_all(first), run_of_frames(0, 50));
  EXPECT_TRUE(first.wait_for_others(0));
}

TEST(Devices, AreDividedAmongTheRanksOfAMachine) {
  const std::vector<int> devices = {0, 1, 2, 5};
  EXPECT_EQ(devices_of(devices, {0, 1}), devices);
  EXPECT_EQ(devices_of(devices, {1, 2}), (std::vector<int>{1, 5}));
  EXPECT_EQ(devices_of(devices, {3, 4}), (std::vector<int>{5}));
  EXPECT_EQ(devices_of(devices, {5, 6}), (std::vector<int>{1}));  // more ranks than devices
}

TEST(Tasks, FirstTaskReportsSeparateSrunTasks) {
  const std::vector<std::string> names = {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
                                          "OMPI_COMM_WORLD_SIZE"};
  const auto problem = [&](const std::vector<const char*>& values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (values[i] == nullptr)
        unsetenv(names[i].c_str());
      else
        setenv(names[i].c_str(), values[i], 1);
    }
    std::string text = independent_tasks_warning();
    for (const std::string& name : names) unsetenv(name.c_str());
    return text;
  };
  EXPECT_TRUE(problem({"4", "0", nullptr})
                  .starts_with("each of the 4 tasks of srun draws all frames; to share them, add "
                               "--shard auto"));
  EXPECT_EQ(problem({"4", "1", nullptr}), "");
  EXPECT_EQ(problem({"1", "0", nullptr}), "");
  EXPECT_EQ(problem({nullptr, nullptr, nullptr}), "");
  EXPECT_EQ(problem({"2", "0", "1"}), "");  // mpirun with one rank a node
}

TEST(Threads, EqualTheOptionOrAShareOfTheCores) {
  EXPECT_EQ(threads_of(5, {1, 4}), 5);
  EXPECT_EQ(threads_of(0, {0, 1}), 0);
  EXPECT_GE(threads_of(0, {0, 1000}), 0);
  EXPECT_LE(threads_of(0, {0, 1000}), 1);
}

}  // namespace
}  // namespace roundel
