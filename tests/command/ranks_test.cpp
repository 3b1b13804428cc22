#include "tools/roundel/export/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tools/roundel/cli/machine.h"

namespace roundel {
namespace {

FrameList frames_from_0(std::size_t count) {
  FrameList frames(count);
  std::iota(frames.begin(), frames.end(), 0);
  return frames;
}

TEST(FrameDealer, DealsEveryFrameOnceInOrder) {
  for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
    for (const int ranks : {1, 2, 8}) {
      FrameDealer dealer(frames_from_0(count), ranks);
      FrameList all;
      for (FrameList dealt = dealer.deal(); !dealt.empty(); dealt = dealer.deal()) {
        all.insert(all.end(), dealt.begin(), dealt.end());
      }
      EXPECT_EQ(all, frames_from_0(count));
      EXPECT_TRUE(dealer.is_empty());
    }
  }
}

TEST(FrameDealer, DealsSeveralFirstAndOneByOneAtTheEnd) {
  FrameDealer dealer(frames_from_0(1000), 4);
  EXPECT_EQ(dealer.deal().size(), 16U);
  std::size_t left = 1000 - 16;
  while (left > 8) left -= dealer.deal().size();
  EXPECT_EQ(dealer.deal().size(), 1U);
}

TEST(FrameDealer, WhatComesBackIsDealtAgain) {
  FrameDealer dealer(frames_from_0(2), 1);
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

TEST(Devices, AreDividedAmongTheRanksOfAMachine) {
  const std::vector<int> devices = {0, 1, 2, 5};
  EXPECT_EQ(devices_of(devices, {0, 1}), devices);
  EXPECT_EQ(devices_of(devices, {1, 2}), (std::vector<int>{1, 5}));
  EXPECT_EQ(devices_of(devices, {3, 4}), (std::vector<int>{5}));
  EXPECT_EQ(devices_of(devices, {5, 6}), (std::vector<int>{1}));  // more ranks than devices
}

TEST(Threads, AreAskedForOrAShareOfTheCores) {
  EXPECT_EQ(threads_of(5, {1, 4}), 5);
  EXPECT_EQ(threads_of(0, {0, 1}), 0);
  EXPECT_GE(threads_of(0, {0, 1000}), 0);
  EXPECT_LE(threads_of(0, {0, 1000}), 1);
}

}  // namespace
}  // namespace roundel
