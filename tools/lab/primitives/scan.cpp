#include "tools/lab/primitives/scan.h"

#include <memory>
#include <numeric>

#include "tools/lab/primitives/chunks.h"
#include "tools/lab/primitives/cuda/device_rows.h"
#include "tools/lab/primitives/variant.h"

namespace roundel::primitives {
namespace {

/// Sums at most kPart elements: the sums of their lower and upper halves fit in 32 bits, and are
/// added up several at a time.
std::int64_t sum_of(std::span<const std::int32_t> in) {
  std::int32_t lower = 0, upper = 0;
  for (const std::int32_t value : in) {
    lower += value & 0xFFFF;
    upper += value >> 16;
  }
  return std::int64_t{upper} * 0x10000 + lower;
}
static_assert(kPart <= 32768, "times 65535 fits");

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
  // Unsigned numbers wrap around.
  const auto* const values = reinterpret_cast<const std::uint32_t*>(in.data());
  auto* const sums = reinterpret_cast<std::uint32_t*>(out.data());
  const auto sum = [&](Part part) { return sum_of(in.subspan(part.begin, part.end - part.begin)); };
  const auto write = [&](Part part, std::int64_t before, std::int64_t, Part next) {
    scan_part(static_cast<std::uint32_t>(before), values + part.begin, part.end - part.begin,
              sums + part.begin, {values + next.begin, values + next.end});
  };
  return in_one_pass(in.size(), sum, write);
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
  Buffer<std::int32_t> expected_;  // sums of the first i elements, for any n
  std::int64_t total_ = -1;
  bool has_total_ = true;  // one variant lacks it
};

}  // namespace

std::unique_ptr<Primitive> make_scan(std::uint64_t largest) {
  return std::make_unique<Scan>(largest);
}

}  // namespace roundel::primitives
