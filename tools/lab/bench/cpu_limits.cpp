#include "tools/lab/bench/machine_limits.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>

#include "renderer/base/buffer.h"
#include "renderer/base/cores.h"

#define HWY_TARGET_INCLUDE "tools/lab/bench/cpu_limits.cpp"
#include "renderer/base/each_highway_target.h"
#include "renderer/base/stopwatch.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Runs `rounds` times twelve independent multiply-adds; returns the number of operations. `sink`
/// keeps the compiler from removing them.
double multiply_and_add(int rounds, float& sink) {
  const hn::CappedTag<float, 16> tag;
  const auto factor = hn::Set(tag, 0.999f), summand = hn::Set(tag, 0.001f);
  constexpr int kSums = 12;
  hn::Vec<decltype(tag)> sums[kSums];
#pragma GCC unroll 12
  for (int i = 0; i < kSums; ++i) sums[i] = hn::Iota(tag, static_cast<float>(i));
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (auto& each : sums) each = hn::MulAdd(each, factor, summand);
  }
  auto sum = sums[0];
#pragma GCC unroll 12
  for (int i = 1; i < kSums; ++i) sum = hn::Add(sum, sums[i]);
  sink = hn::GetLane(sum);
  return 1.0 * kSums * rounds * static_cast<double>(hn::Lanes(tag));
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
namespace cpu {
HWY_EXPORT(multiply_and_add);

double multiply_and_add_here(int rounds, float& sink) {
  return HWY_DYNAMIC_DISPATCH(multiply_and_add)(rounds, sink);
}
}  // namespace cpu

namespace {

template <typename Work>
double seconds(Work&& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

}  // namespace

MachineLimits measure_cpu_limits(int threads) {
  constexpr std::size_t kCopied = std::size_t{64} << 20;  // bytes a thread: beyond every cache
  constexpr int kRounds = 1 << 20;
  constexpr int kRepeats = 5;
  tbb::task_arena arena(threads > 0 ? threads : default_threads());
  const auto workers = static_cast<std::size_t>(arena.max_concurrency());
  Buffer<char> from, to;
  from.resize_discard(workers * kCopied);
  to.resize_discard(workers * kCopied);
  // Written once, since the system would back unwritten memory with one page of zeros.
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, workers,
                      [&](std::size_t i) { std::memset(from.data() + i * kCopied, 1, kCopied); });
  });
  Buffer<float> sinks;
  sinks.resize_discard(workers * 16);
  MachineLimits limits{0, 0};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    double operations = 0;
    const double copying = seconds([&] {
      arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t i) {
          std::memcpy(to.data() + i * kCopied, from.data() + i * kCopied, kCopied);
        });
      });
    });
    const double calculating = seconds([&] {
      arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t i) {
          const double done = cpu::multiply_and_add_here(kRounds, sinks[i * 16]);
          if (i == 0) operations = done;
        });
      });
    });
    const auto all = static_cast<double>(workers);
    limits.bytes_per_second =
        std::max(limits.bytes_per_second, 2.0 * static_cast<double>(kCopied) * all / copying);
    limits.operations_per_second =
        std::max(limits.operations_per_second, operations * all / calculating);
  }
  return limits;
}

}  // namespace roundel
#endif  // HWY_ONCE
