#include "renderer/bench/machine_limits.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "renderer/base/buffer.h"

#define HWY_TARGET_INCLUDE "renderer/bench/cpu_limits.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Runs `rounds` times twelve independent multiply-adds; returns the operations done. `sink` keeps
/// them from being left out.
double multiply_and_add(int rounds, float& sink) {
  const hn::CappedTag<float, 16> tag;
  const auto factor = hn::Set(tag, 0.999f), summand = hn::Set(tag, 0.001f);
  auto a = hn::Iota(tag, 1), b = hn::Add(a, a), c = hn::Add(b, a), d = hn::Add(c, a);
  auto e = hn::Add(d, a), f = hn::Add(e, a), g = hn::Add(f, a), h = hn::Add(g, a);
  auto i = hn::Add(h, a), j = hn::Add(i, a), k = hn::Add(j, a), l = hn::Add(k, a);
  for (int round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, summand);
    b = hn::MulAdd(b, factor, summand);
    c = hn::MulAdd(c, factor, summand);
    d = hn::MulAdd(d, factor, summand);
    e = hn::MulAdd(e, factor, summand);
    f = hn::MulAdd(f, factor, summand);
    g = hn::MulAdd(g, factor, summand);
    h = hn::MulAdd(h, factor, summand);
    i = hn::MulAdd(i, factor, summand);
    j = hn::MulAdd(j, factor, summand);
    k = hn::MulAdd(k, factor, summand);
    l = hn::MulAdd(l, factor, summand);
  }
  a = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), hn::Add(hn::Add(e, f), hn::Add(g, h)));
  sink = hn::GetLane(hn::Add(a, hn::Add(hn::Add(i, j), hn::Add(k, l))));
  return 12.0 * rounds * static_cast<double>(hn::Lanes(tag));
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
namespace cpu {
HWY_EXPORT(multiply_and_add);
}  // namespace cpu

namespace {

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

MachineLimits measure_cpu_limits(int threads) {
  constexpr std::size_t kCopied = std::size_t{64} << 20;  // bytes a thread: beyond every cache
  constexpr int kRounds = 1 << 20;
  constexpr int kRepeats = 5;
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  const auto workers = static_cast<std::size_t>(arena.max_concurrency());
  Buffer<char> from, to;
  from.resize_discard(workers * kCopied);
  to.resize_discard(workers * kCopied);
  // Written once, or the system would back all of it with one page of zeros, which is read for
  // nothing.
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
          const double done = HWY_DYNAMIC_DISPATCH(cpu::multiply_and_add)(kRounds, sinks[i * 16]);
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
