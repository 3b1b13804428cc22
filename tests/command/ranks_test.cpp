#include "renderer/film/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "renderer/base/error.h"
#include "tools/roundel/cli/machine.h"

namespace roundel {
namespace {

TEST(FrameDealer, DealsEveryFrameOnceInOrder) {
  for (const std::int64_t count : {0, 1, 7, 1000}) {
    for (const int ranks : {1, 2, 8}) {
      FrameDealer dealer(run_of_frames(0, count), ranks);
      FrameList all;
      for (FrameList dealt = dealer.deal(); !dealt.empty(); dealt = dealer.deal()) {
        all.insert(all.end(), dealt.begin(), dealt.end());
      }
      EXPECT_EQ(all, run_of_frames(0, count));
      EXPECT_TRUE(dealer.is_empty());
    }
  }
}

TEST(FrameDealer, DealsSeveralFirstAndOneByOneAtTheEnd) {
  FrameDealer dealer(run_of_frames(0, 1000), 4);
  EXPECT_EQ(dealer.deal().size(), 16U);
  std::size_t left = 1000 - 16;
  while (left > 8) left -= dealer.deal().size();
  EXPECT_EQ(dealer.deal().size(), 1U);
}

TEST(FrameDealer, WhatComesBackIsDealtAgain) {
  FrameDealer dealer(run_of_frames(0, 2), 1);
  dealer.deal();
  dealer.take_back({0});
  EXPECT_EQ(dealer.deal(), (FrameList{0}));
  EXPECT_EQ(dealer.deal(), (FrameList{1}));
  dealer.take_back({1});
  EXPECT_FALSE(dealer.is_empty());
  dealer.stop();
  EXPECT_TRUE(dealer.is_empty());
  EXPECT_TRUE(dealer.deal().empty());
}

/// Ranks in one process: a mailbox for each.
class Post {
 public:
  explicit Post(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}

  Ranks ranks(int index) {
    return {index, static_cast<int>(boxes_.size()), {}, std::make_unique<Carrier>(*this, index)};
  }

 private:
  struct Letter {
    int from;
    MessageKind kind;
    std::string text;
  };

  class Carrier final : public Messenger {
   public:
    Carrier(Post& post, int own) : post_(post), own_(static_cast<std::size_t>(own)) {}
    void send(int to, MessageKind kind, std::span<const std::uint8_t> bytes) override {
      const std::lock_guard lock(post_.mutex_);
      post_.boxes_[static_cast<std::size_t>(to)].push_back(
          {static_cast<int>(own_), kind, {bytes.begin(), bytes.end()}});
    }
    std::optional<std::pair<int, std::string>> receive(MessageKind kind, int from) override {
      const std::lock_guard lock(post_.mutex_);
      auto& box = post_.boxes_[own_];
      const auto letter = std::find_if(box.begin(), box.end(), [&](const Letter& candidate) {
        return candidate.kind == kind && (from == kAnyRank || candidate.from == from);
      });
      if (letter == box.end()) return std::nullopt;
      std::pair<int, std::string> found(letter->from, letter->text);
      box.erase(letter);
      return found;
    }
    void receive_into(int from, MessageKind kind, std::span<std::uint8_t> bytes) override {
      auto message = receive(kind, from);
      while (!message) {
        std::this_thread::yield();
        message = receive(kind, from);
      }
      ASSERT_EQ(message->second.size(), bytes.size());
      std::copy(message->second.begin(), message->second.end(), bytes.begin());
    }

   private:
    Post& post_;
    std::size_t own_;
  };

  std::mutex mutex_;
  std::vector<std::deque<Letter>> boxes_;
};

FrameList draw_all(FrameSource& source) {
  FrameList drawn;
  while (const auto frame = source.next()) drawn.push_back(*frame);
  return drawn;
}

TEST(Ranks, ShareTheFramesAndTellTheFirstOneHowTheyEnded) {
  constexpr int kCount = 4;
  Post post(kCount);
  const Ranks ranks = post.ranks(0);
  FirstRank first(ranks);
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
  first.hand_out(run_of_frames(0, 500));
  drawn[0] = draw_all(first);
  while (!first.wait_for_others(0.01)) {
  }
  EXPECT_EQ(first.others().bytes, 300U);
  const std::vector<RankReport> reports = first.take_reports();
  ASSERT_EQ(reports.size(), 3U);
  for (const RankReport& report : reports) {
    EXPECT_EQ(report.exit_code, report.rank);
    EXPECT_EQ(report.problem, report.rank == 2 ? "out of luck" : "");
    EXPECT_EQ(report.result.written, drawn[static_cast<std::size_t>(report.rank)]);
    EXPECT_TRUE(first.has_ended(report.rank));
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

TEST(Ranks, WhatAnotherCouldNotMakeIsDealtAgain) {
  Post post(2);
  const Ranks ranks = post.ranks(0), own = post.ranks(1);
  FirstRank first(ranks);
  first.hand_out({7});
  std::thread thread([&] {
    OtherRank other(own);
    RankReport report;
    report.unfinished = {*other.next()};
    other.end(report);
  });
  while (!first.wait_for_others(0.01)) {
  }
  EXPECT_TRUE(first.has_frames());
  EXPECT_EQ(first.next(), 7);
  EXPECT_FALSE(first.has_frames());
  first.dismiss(0);
  thread.join();
}

TEST(Ranks, AProcessAloneMakesAllFramesAndWaitsForNobody) {
  const Ranks alone;
  FirstRank first(alone);
  first.hand_out(run_of_frames(0, 50));
  EXPECT_EQ(draw_all(first), run_of_frames(0, 50));
  EXPECT_TRUE(first.wait_for_others(0));
  first.take_back({3});
  EXPECT_FALSE(first.has_frames());  // a stream that broke is not begun again
}

TEST(Ranks, BandsComeFromTheOthersAndARankThatHasEndedIsAnError) {
  Post post(2);
  const Ranks ranks = post.ranks(0), own = post.ranks(1);
  FirstRank first(ranks);
  first.hand_out({});
  RankBands bands(ranks, first);
  bands.expect(3);
  bands.order();
  const auto order = own.messenger->receive(MessageKind::kOrder, 0);
  ASSERT_TRUE(order);
  EXPECT_NE(order->second.find('3'), std::string::npos);
  std::vector<std::uint8_t> sent = {1, 2, 3}, received(3);
  own.messenger->send(0, MessageKind::kBand, {});
  own.messenger->send(0, MessageKind::kBandBytes, sent);
  bands.receive(1, received);
  EXPECT_EQ(received, sent);

  std::thread thread([&] { OtherRank(own).end({}); });
  while (!first.wait_for_others(0.01)) {
  }
  EXPECT_THROW(bands.receive(1, received), Error);
  first.dismiss(0);
  thread.join();
}

TEST(Devices, AreDividedAmongTheRanksOfAMachine) {
  const std::vector<int> devices = {0, 1, 2, 5};
  EXPECT_EQ(devices_of(devices, {0, 1}), devices);
  EXPECT_EQ(devices_of(devices, {1, 2}), (std::vector<int>{1, 5}));
  EXPECT_EQ(devices_of(devices, {3, 4}), (std::vector<int>{5}));
  EXPECT_EQ(devices_of(devices, {5, 6}), (std::vector<int>{1}));  // more ranks than devices
}

TEST(Tasks, OfSrunThatDoNotKnowOfEachOtherAreAProblemOfTheFirst) {
  const std::vector<std::string> names = {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
                                          "OMPI_COMM_WORLD_SIZE"};
  const auto problem = [&](const std::vector<const char*>& values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (values[i] == nullptr)
        unsetenv(names[i].c_str());
      else
        setenv(names[i].c_str(), values[i], 1);
    }
    std::string text = lone_tasks_problem();
    for (const std::string& name : names) unsetenv(name.c_str());
    return text;
  };
  EXPECT_TRUE(problem({"4", "0", nullptr})
                  .starts_with("each of the 4 tasks of srun draws all frames; to share them, add "
                               "--shard auto"));
  EXPECT_EQ(problem({"4", "1", nullptr}), "");
  EXPECT_EQ(problem({"1", "0", nullptr}), "");
  EXPECT_EQ(problem({nullptr, nullptr, nullptr}), "");
  EXPECT_EQ(problem({"2", "0", "1"}), "");  // a node each of mpirun
}

TEST(Threads, AreAskedForOrAShareOfTheCores) {
  EXPECT_EQ(threads_of(5, {1, 4}), 5);
  EXPECT_EQ(threads_of(0, {0, 1}), 0);
  EXPECT_GE(threads_of(0, {0, 1000}), 0);
  EXPECT_LE(threads_of(0, {0, 1000}), 1);
}

}  // namespace
}  // namespace roundel
