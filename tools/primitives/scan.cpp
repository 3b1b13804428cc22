#include "tools/primitives/scan.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "tools/primitives/chunks.h"
#include "tools/primitives/variant.h"

namespace roundel::primitives {
namespace {

/// Scans from `sum` on. Unsigned numbers, because they wrap around.
void scan_from(std::uint32_t sum, std::span<const std::int32_t> in, std::span<std::int32_t> out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto value = static_cast<std::uint32_t>(in[i]);
    out[i] = static_cast<std::int32_t>(sum);
    sum += value;
  }
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

std::int64_t exclusive_scan_chunks(std::span<const std::int32_t> in, std::span<std::int32_t> out) {
  const Chunks chunks(in.size());
  std::vector<std::int64_t> sums(chunks.count + 1);
  chunks.for_each([&](std::size_t chunk) {
    const std::size_t begin = chunks.begin(chunk);
    sums[chunk] = sum_of(in.subspan(begin, chunks.end(chunk) - begin));
  });
  std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), std::int64_t{0});
  chunks.for_each([&](std::size_t chunk) {
    const std::size_t begin = chunks.begin(chunk), count = chunks.end(chunk) - begin;
    scan_from(static_cast<std::uint32_t>(sums[chunk]), in.subspan(begin, count),
              out.subspan(begin, count));
  });
  return sums.back();
}

namespace {

class Scan final : public Primitive {
 public:
  explicit Scan(std::uint64_t largest) : in_(largest), out_(largest) {
    const Chunks chunks(largest);
    chunks.for_each([&](std::size_t chunk) {
      for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        in_[i] = static_cast<std::int32_t>(random_bits(i) % 100);  // passes 2³¹ at 2²⁸ elements
    });
  }

  std::string name() const override { return "scan"; }
  std::string text() const override {
    return "exclusive sums of n int32 (modulo 2^32), their total in 64 bits";
  }
  std::vector<Variant> variants() override {
    return {variant("CPU, one thread", exclusive_scan_serial),
            variant("CPU, all threads, chunks", exclusive_scan_chunks)};
  }
  double bytes(std::uint64_t n) const override { return 8.0 * static_cast<double>(n); }
  bool is_right(std::uint64_t n) const override {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (static_cast<std::uint32_t>(out_[i]) != static_cast<std::uint32_t>(sum)) return false;
      sum += static_cast<std::uint64_t>(in_[i]);
    }
    return total_ == static_cast<std::int64_t>(sum);
  }
  void spoil(std::uint64_t n) override {
    std::fill_n(out_.data(), n, -1);
    total_ = -1;
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
  std::int64_t total_ = -1;
};

}  // namespace

std::unique_ptr<Primitive> make_scan(std::uint64_t largest) {
  return std::make_unique<Scan>(largest);
}

}  // namespace roundel::primitives
