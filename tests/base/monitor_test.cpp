#include "renderer/base/monitor.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace roundel {
namespace {

enum Condition : std::size_t { kFull, kEmpty, kNumConditions };
using TestMonitor = Monitor<kNumConditions>;

/// A slot for one number, which threads fill and empty by turns.
TEST(Monitor, WakesEveryReadyThread) {
  constexpr int kThreads = 3, kRounds = 5000;
  TestMonitor monitor;
  bool is_full = false;
  long value = 0, sum = 0;
  const auto put = [&](int which) {
    TestMonitor::Lock lock(monitor);
    for (int i = 0; i < kRounds; ++i) {
      lock.wait(kEmpty, [&] { return !is_full; });
      is_full = true;
      value = which;
      monitor.wake_one(kFull);
      if (i % 3 == 0) {  // else the next wait releases it
        lock.unlock();
        lock.lock();
      }
    }
  };
  const auto take = [&] {
    TestMonitor::Lock lock(monitor);
    for (int i = 0; i < kRounds; ++i) {
      lock.wait(kFull, [&] { return is_full; });
      is_full = false;
      sum += value;
      monitor.wake_one(kEmpty);
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back(put, k + 1);
    threads.emplace_back(take);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, static_cast<long>(kRounds) * (1 + 2 + 3));
}

TEST(Monitor, WakesOneOrAll) {
  TestMonitor monitor;
  bool is_over = false;
  int ended = 0;
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      TestMonitor::Lock lock(monitor);
      lock.wait(k % kNumConditions, [&] { return is_over; });
      ++ended;
    });
  {
    TestMonitor::Lock lock(monitor);
    EXPECT_FALSE(lock.wait_for(kFull, std::chrono::milliseconds(1), [&] { return ended > 0; }));
    is_over = true;
    monitor.wake_one(kFull);
    monitor.wake_all();
    monitor.wake_one(kFull);
    EXPECT_TRUE(lock.wait_for(kFull, std::chrono::seconds(60), [&] { return is_over; }));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 4);
}

/// The last owner of the lock lets another thread destroy it.
TEST(Monitor, MayBeDestroyedAfterTheLockIsReleased) {
  for (int round = 0; round < 200; ++round) {
    bool is_over = false;
    auto monitor = std::make_unique<TestMonitor>();
    std::thread last([&is_over, &all = *monitor] {
      TestMonitor::Lock lock(all);
      is_over = true;
      all.wake_all();
      lock.wake_at_once();
    });
    {
      TestMonitor::Lock lock(*monitor);
      lock.wait(kEmpty, [&] { return is_over; });
    }
    monitor.reset();
    last.join();
  }
}

}  // namespace
}  // namespace roundel
