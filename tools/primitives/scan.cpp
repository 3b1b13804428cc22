#include "tools/primitives/scan.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "tools/primitives/chunks.h"
#include "tools/primitives/cuda/device_rows.h"
#include "tools/primitives/variant.h"

namespace roundel::primitives {
namespace {

/// Scans from `sum` on: bit by bit into the first-level cache, and from there past the caches,
/// where a plain store would first read the line that it overwrites. Unsigned numbers, because they
/// wrap around.
void scan_from(std::uint32_t sum, std::span<const std::int32_t> in, std::span<std::int32_t> out) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr hn::ScalableTag<std::int32_t> kVector;
  constexpr std::size_t kBlock = 1024;  // elements
  HWY_ALIGN std::int32_t block[kBlock];
  for (std::size_t begin = 0; begin < in.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, in.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      block[i] = static_cast<std::int32_t>(sum);
      sum += static_cast<std::uint32_t>(in[begin + i]);
    }
    std::int32_t* const to = out.data() + begin;
    const bool can_stream =
        reinterpret_cast<std::uintptr_t>(to) % (hn::Lanes(kVector) * sizeof(std::int32_t)) == 0 &&
        count % hn::Lanes(kVector) == 0;
    if (!can_stream) {
      std::copy_n(block, count, to);
      continue;
    }
    for (std::size_t i = 0; i < count; i += hn::Lanes(kVector))
      hn::Stream(hn::Load(kVector, block + i), kVector, to + i);
  }
  hwy::FlushStream();  // before another thread is told
}

std::int64_t sum_of(std::span<const std::int32_t> in) {
  return std::accumulate(in.begin(), in.end(), std::int64_t{0});
}

}  // namespace

std::int64_t exclusive_scan_serial(std::span<const std::int32_t> in, std::span<std::int32_t> out) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int32_t value = in[i];
    out[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
    sum += value;
  }
  return sum;
}

std::int64_t exclusive_scan_one_pass(std::span<const std::int32_t> in,
                                     std::span<std::int32_t> out) {
  return in_one_pass(
      in.size(),
      [&](std::size_t begin, std::size_t end) { return sum_of(in.subspan(begin, end - begin)); },
      [&](std::size_t begin, std::size_t end, std::int64_t before, std::int64_t) {
        scan_from(static_cast<std::uint32_t>(before), in.subspan(begin, end - begin),
                  out.subspan(begin, end - begin));
      });
}

namespace {

class Scan final : public Primitive {
 public:
  explicit Scan(std::uint64_t largest) : in_(largest), out_(largest), expected_(largest) {
    // From -16 to 111: the sums pass 2³¹ from 2²⁶ elements on.
    fill(in_, largest,
         [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) % 128) - 16; });
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < largest; ++i) {
      expected_[i] = static_cast<std::int32_t>(sum);
      sum += static_cast<std::uint32_t>(in_[i]);
    }
  }

  std::string name() const override { return "scan"; }
  std::string text() const override {
    return "exclusive sums of n int32 (modulo 2^32), their total in 64 bits";
  }
  std::vector<Variant> variants() override {
    std::vector<Variant> all = {variant("CPU, one thread", exclusive_scan_serial),
                                variant("CPU, all threads, one pass", exclusive_scan_one_pass)};
    for (Variant& more : device_scan_variants(in_.span(), out_.span(), total_, has_total_))
      all.push_back(std::move(more));
    return all;
  }
  double bytes(std::uint64_t n) const override { return 8.0 * static_cast<double>(n); }
  bool is_right(std::uint64_t n) const override {
    return all_of(n, [&](std::uint64_t i) { return out_[i] == expected_[i]; }) &&
           (!has_total_ || total_ == std::accumulate(in_.data(), in_.data() + n, std::int64_t{0}));
  }
  void spoil(std::uint64_t n) override {
    fill(out_, n, [](std::uint64_t) { return -1; });
    total_ = -1;
    has_total_ = true;
  }

 private:
  using Function = std::int64_t (*)(std::span<const std::int32_t>, std::span<std::int32_t>);

  Variant variant(const char* name, Function function) {
    return {name, [this, function](std::uint64_t n, int repeats) {
              return time_on_cpu(
                  repeats, [&] { total_ = function(in_.span().first(n), out_.span().first(n)); });
            }};
  }

  Buffer<std::int32_t> in_, out_;
  Buffer<std::int32_t> expected_;  // sums of the first i elements: those of any n
  std::int64_t total_ = -1;
  bool has_total_ = true;  // one variant has none
};

}  // namespace

std::unique_ptr<Primitive> make_scan(std::uint64_t largest) {
  return std::make_unique<Scan>(largest);
}

}  // namespace roundel::primitives
