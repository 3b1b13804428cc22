#include "renderer/base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

namespace roundel {
namespace {

constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;

std::uintptr_t address_of(const Buffer<std::uint8_t>& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST(Buffer, BeginsAtACacheLineAndALargeOneAtAHugePage) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, kHugePage - 1})
    EXPECT_EQ(address_of(Buffer<std::uint8_t>(size)) % 64, 0u) << size;
  for (const std::size_t size : {kHugePage, 3 * kHugePage + 1})
    EXPECT_EQ(address_of(Buffer<std::uint8_t>(size)) % kHugePage, 0u) << size;
}

TEST(Buffer, EmptyBufferHasNoMemory) {
  const Buffer<int> none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.data(), nullptr);
}

TEST(Buffer, TooLargeSizesThrowBadAlloc) {
  constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(Buffer<double>(kMaxSize / sizeof(double) + 1),
               std::bad_alloc);  // 8 bytes, modulo 2⁶⁴
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end the program where a size is too large for them";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers end the program where a size is too large for them";
#endif
#endif
  EXPECT_THROW(Buffer<double>(kMaxSize / 64), std::bad_alloc);
  EXPECT_EQ(try_allocate_block(kMaxSize / 64), nullptr);
}

TEST(Buffer, MovesItsMemory) {
  Buffer<int> a(3);
  a[2] = 5;
  const int* const memory = a.data();
  Buffer<int> b = std::move(a);
  EXPECT_EQ(b.data(), memory);
  EXPECT_EQ(b.size(), 3u);
  EXPECT_TRUE(a.empty());  // NOLINT: what is promised of it
  a = std::move(b);
  EXPECT_EQ(a.data(), memory);
  EXPECT_EQ(a[2], 5);
  EXPECT_EQ(b.size(), 0u);  // NOLINT
}

TEST(Buffer, KeepsItsContentsIfTheSizeStays) {
  Buffer<int> buffer(1000);
  buffer[999] = 7;
  const int* const memory = buffer.data();
  buffer.resize_discard(1000);
  EXPECT_EQ(buffer.data(), memory);
  EXPECT_EQ(buffer[999], 7);
  buffer.resize_discard(2000);
  EXPECT_EQ(buffer.size(), 2000u);
  buffer[1999] = 1;
}

TEST(Buffer, ShrinksInPlace) {
  Buffer<int> buffer(4);
  for (int i = 0; i < 4; ++i) buffer[static_cast<std::size_t>(i)] = i;
  const int* const memory = buffer.data();
  buffer.shrink(2);
  EXPECT_EQ(buffer.data(), memory);
  EXPECT_EQ(buffer.end() - buffer.begin(), 2);
  EXPECT_EQ(buffer.span().size(), 2u);
  EXPECT_EQ(buffer[1], 1);
}

TEST(Buffer, DiscardsWholePagesOnly) {
  Buffer<std::uint8_t> buffer(2 * kHugePage);
  std::fill(buffer.begin(), buffer.end(), 0xAB);
  const std::size_t begin = kPage + 1, end = 5 * kPage + kPage - 1;  // pages 2 to 4 are whole
  buffer.discard(begin, end);
  for (std::size_t i = 0; i < buffer.size(); ++i)
    ASSERT_EQ(buffer[i], i >= 2 * kPage && i < 5 * kPage ? 0 : 0xAB) << i;
  buffer.discard(10 * kPage + 1, 11 * kPage + 5);
  EXPECT_EQ(buffer[10 * kPage + 1], 0xAB);
  EXPECT_EQ(buffer[11 * kPage + 4], 0xAB);
}

TEST(Buffer, ForeignMemoryIsReleasedOnceByItsOwnFunction) {
  static int releases;
  static void* released;
  releases = 0;
  alignas(64) static float memory[16];
  {
    Buffer<float> a(memory, 16, [](void* pointer) { ++releases, released = pointer; });
    const Buffer<float> b = std::move(a);
    EXPECT_EQ(b.data(), memory);
    EXPECT_EQ(releases, 0);
  }
  EXPECT_EQ(releases, 1);
  EXPECT_EQ(released, memory);
}

TEST(Buffer, ForeignMemoryIsNotDiscarded) {
  alignas(kPage) static std::uint8_t memory[3 * kPage];
  Buffer<std::uint8_t> buffer(memory, std::size(memory), [](void*) {});
  std::fill(buffer.begin(), buffer.end(), 0xAB);
  buffer.discard(0, buffer.size());
  for (std::size_t i = 0; i < buffer.size(); ++i) ASSERT_EQ(buffer[i], 0xAB) << i;
}

TEST(BlockMemory, CountsWholeHugePagesOfLargeBlocks) {
  EXPECT_EQ(block_memory(0), 0u);
  EXPECT_EQ(block_memory(kHugePage - 1), kHugePage - 1);
  EXPECT_EQ(block_memory(kHugePage), kHugePage);
  EXPECT_EQ(block_memory(kHugePage + 1), 2 * kHugePage);
}

}  // namespace
}  // namespace roundel
