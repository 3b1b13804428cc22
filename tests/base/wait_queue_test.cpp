#include "renderer/base/wait_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace roundel {
namespace {

/// Work that ends at some time.
struct Thing {
  std::atomic<bool> has_ended{false};
};

/// All wait; work ends in the order of `ends`.
void wait_for_all(const std::vector<std::size_t>& ends, std::atomic<int>& waiting_alone,
                  std::atomic<int>& most_alone) {
  WaitQueue line;
  std::vector<Thing> things(ends.size());
  std::atomic<std::size_t> num_returned{0};
  std::vector<std::thread> threads;
  for (Thing& thing : things)
    threads.emplace_back([&] {
      line.wait(
          [&] {
            const int now = ++waiting_alone;
            for (int most = most_alone; most < now && !most_alone.compare_exchange_weak(most, now);)
              continue;
            while (!thing.has_ended) std::this_thread::yield();
            --waiting_alone;
          },
          [&] { return thing.has_ended.load(); });
      EXPECT_TRUE(thing.has_ended);
      ++num_returned;
    });
  for (const std::size_t i : ends) {
    EXPECT_LT(num_returned, things.size());
    things[i].has_ended = true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(WaitQueue, OneThreadWaitsForAllInAnyOrder) {
  for (const std::vector<std::size_t>& ends :
       {std::vector<std::size_t>{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 0, 5, 1, 4, 3}, {0}}) {
    for (int turn = 0; turn < 20; ++turn) {
      std::atomic<int> waiting_alone{0}, most_alone{0};
      wait_for_all(ends, waiting_alone, most_alone);
      EXPECT_EQ(waiting_alone, 0);
      EXPECT_EQ(most_alone, 1);
    }
  }
}

TEST(WaitQueue, FailedThreadHandsOver) {
  WaitQueue line;
  std::atomic<bool> has_ended{false}, fails{false};
  std::thread failing([&] {
    const auto fail = [&] {
      fails = true;
      while (!has_ended) std::this_thread::yield();
      throw std::runtime_error("device");
    };
    EXPECT_THROW(line.wait(fail, [] { return true; }), std::runtime_error);
  });
  while (!fails) std::this_thread::yield();
  std::thread other([&] { line.wait([] {}, [] { return false; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  has_ended = true;
  failing.join();
  other.join();
}

}  // namespace
}  // namespace roundel
