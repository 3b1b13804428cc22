#include "renderer/raster/cuda/locked_pages.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "renderer/raster/cuda/device_buffer.h"
#include "tests/raster/testing.h"

namespace roundel::cuda {
namespace {

using Block = Buffer<std::uint8_t>;

/// Smaller than a page, files, raw frames, and larger than a slab.
constexpr std::size_t kSizes[] = {1,       96,        4096,      4097,      30'000,   524'288,
                                  524'289, 1'300'000, 2'097'152, 3'145'728, 9'000'000};

void fill(Block& block, std::uint8_t value) {
  std::fill(block.begin(), block.end(), value);
}

bool has_only(const Block& block, std::uint8_t value) {
  return std::all_of(block.begin(), block.end(), [=](std::uint8_t byte) { return byte == value; });
}

/// Without a device they are ordinary memory.
TEST(LockedPages, AreSeparateAndAlignedAtAllSizes) {
  std::vector<Block> blocks;
  for (int round = 0; round < 3; ++round)
    for (const std::size_t size : kSizes) blocks.push_back(locked_pages<std::uint8_t>(size));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    ASSERT_EQ(blocks[i].size(), kSizes[i % std::size(kSizes)]);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks[i].data()) % 64, 0u) << blocks[i].size();
    fill(blocks[i], static_cast<std::uint8_t>(i));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    EXPECT_TRUE(has_only(blocks[i], static_cast<std::uint8_t>(i))) << i;
}

TEST(LockedPages, MayBeEmpty) {
  EXPECT_TRUE(locked_pages<std::uint8_t>(0).empty());
}

TEST(LockedPages, StayLockedUntilTheirSlabIsFree) {
  ROUNDEL_NEEDS_CUDA();
  for (const std::size_t size : kSizes) {
    std::vector<Block> blocks;
    std::vector<const void*> places;
    for (int i = 0; i < 100; ++i) {
      blocks.push_back(locked_pages<std::uint8_t>(size));
      places.push_back(blocks.back().data());
      ASSERT_TRUE(is_locked(blocks.back().data() + size - 1)) << size;
    }
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));  // NOLINT(cert-msc51-cpp)
    while (blocks.size() > 1) {
      blocks.pop_back();
      ASSERT_TRUE(is_locked(blocks.front().data())) << size;
    }
    blocks.clear();
    for (const void* const place : places) EXPECT_FALSE(is_locked(place)) << size;
  }
}

TEST(LockedPages, AreReused) {
  ROUNDEL_NEEDS_CUDA();
  const Block other = locked_pages<std::uint8_t>(100);
  Block first = locked_pages<std::uint8_t>(200);
  const void* const place = first.data();
  first = {};
  first = locked_pages<std::uint8_t>(300);
  EXPECT_EQ(first.data(), place);
}

TEST(LockedPages, AcceptDeviceCopiesAfterDiscarding) {
  ROUNDEL_NEEDS_CUDA();
  for (const std::size_t size : kSizes) {
    Block block = locked_pages<std::uint8_t>(size);
    fill(block, 1);
    block.discard(0, size);
    const DeviceBuffer<std::uint8_t> sevens(size);
    ROUNDEL_CUDA_CHECK(cudaMemset(sevens.data(), 7, size));
    ROUNDEL_CUDA_CHECK(cudaMemcpy(block.data(), sevens.data(), size, cudaMemcpyDeviceToHost));
    EXPECT_TRUE(has_only(block, 7)) << size;
  }
}

TEST(LockedPages, AllowSeveralThreads) {
  std::vector<std::thread> threads;
  for (std::uint8_t number = 0; number < 4; ++number) {
    threads.emplace_back([number] {
      std::mt19937 random(number);
      std::vector<Block> blocks(8);
      for (int i = 0; i < 200; ++i) {
        Block& block = blocks[random() % blocks.size()];
        EXPECT_TRUE(has_only(block, number));
        block = {};
        block = locked_pages<std::uint8_t>(kSizes[random() % (std::size(kSizes) - 1)]);
        fill(block, number);
      }
      for (const Block& block : blocks) EXPECT_TRUE(has_only(block, number));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace roundel::cuda
