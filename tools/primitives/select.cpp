#include "tools/primitives/select.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tools/primitives/variant.h"

namespace roundel::primitives {
namespace {

struct IsNotZero {
  const std::int32_t* in;
  bool operator()(std::uint64_t i) const { return in[i] != 0; }
};
struct ElementOf {
  const std::int32_t* in;
  std::int32_t operator()(std::uint64_t i) const { return in[i]; }
};
struct IsRepeated {
  const std::int32_t* in;
  bool operator()(std::uint64_t i) const { return in[i] == in[i + 1]; }
};
struct Position {
  std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(i); }
};

/// Positions that have a next one.
std::uint64_t pairs(std::span<const std::int32_t> in) {
  return in.empty() ? 0 : in.size() - 1;
}

}  // namespace

std::uint64_t compact_serial(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_serial(in.size(), IsNotZero{in.data()}, ElementOf{in.data()}, out);
}

std::uint64_t compact_by_scan(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_by_scan(in.size(), IsNotZero{in.data()}, ElementOf{in.data()}, out);
}

std::uint64_t find_repeats_serial(std::span<const std::int32_t> in, std::uint32_t* out) {
  return select_serial(pairs(in), IsRepeated{in.data()}, Position{}, out);
}

std::uint64_t find_repeats_by_scan(std::span<const std::int32_t> in, std::uint32_t* out) {
  return select_by_scan(pairs(in), IsRepeated{in.data()}, Position{}, out);
}

namespace {

/// What the two selections share: int32 in, 4 bytes out for each that is taken.
template <typename Value>
class Selection : public Primitive {
 public:
  using Function = std::uint64_t (*)(std::span<const std::int32_t>, Value*);

  Selection(std::uint64_t largest, std::uint64_t values, Function serial, Function by_scan)
      : in_(largest), out_(largest), serial_(serial), by_scan_(by_scan) {
    const Chunks chunks(largest);
    chunks.for_each([&](std::size_t chunk) {
      for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        in_[i] = static_cast<std::int32_t>(random_bits(i) % values);
    });
  }

  std::vector<Variant> variants() override {
    return {variant("CPU, one thread, no scan", serial_),
            variant("CPU, all threads, scan", by_scan_)};
  }
  double bytes(std::uint64_t n) const override {
    return 4.0 * static_cast<double>(n) + 4.0 * static_cast<double>(count_);
  }
  void spoil(std::uint64_t n) override {
    std::fill_n(out_.data(), n, static_cast<Value>(-1));
    count_ = ~std::uint64_t{0};
  }

 protected:
  /// Right if out is value(i) of every i of n with keep(i), in order.
  template <typename Keep, typename ValueOf>
  bool is_selection(std::uint64_t n, const Keep& keep, const ValueOf& value) const {
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (!keep(i)) continue;
      if (next >= count_ || out_[next] != value(i)) return false;
      ++next;
    }
    return next == count_;
  }
  const Buffer<std::int32_t>& input() const { return in_; }

 private:
  Variant variant(const char* name, Function function) {
    return {name, [this, function](std::uint64_t n, int repeats) {
              return time_on_cpu(repeats,
                                 [&] { count_ = function(in_.span().first(n), out_.data()); });
            }};
  }

  Buffer<std::int32_t> in_;
  Buffer<Value> out_;
  Function serial_, by_scan_;
  std::uint64_t count_ = 0;
};

class Compaction final : public Selection<std::int32_t> {
 public:
  explicit Compaction(std::uint64_t largest)
      : Selection(largest, 2, compact_serial, compact_by_scan) {}

  std::string name() const override { return "compaction"; }
  std::string text() const override { return "those of n int32 that are not 0, half of them"; }
  bool is_right(std::uint64_t n) const override {
    return is_selection(
        n, [&](std::uint64_t i) { return input()[i] != 0; },
        [&](std::uint64_t i) { return input()[i]; });
  }
};

class FindRepeats final : public Selection<std::uint32_t> {
 public:
  explicit FindRepeats(std::uint64_t largest)
      : Selection(largest, 8, find_repeats_serial, find_repeats_by_scan) {}

  std::string name() const override { return "find-repeats"; }
  std::string text() const override {
    return "positions i with a[i] = a[i + 1] in n int32, an eighth of them";
  }
  bool is_right(std::uint64_t n) const override {
    return is_selection(
        n == 0 ? 0 : n - 1, [&](std::uint64_t i) { return input()[i] - input()[i + 1] == 0; },
        [&](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
  }
};

}  // namespace

std::unique_ptr<Primitive> make_compaction(std::uint64_t largest) {
  return std::make_unique<Compaction>(largest);
}

std::unique_ptr<Primitive> make_find_repeats(std::uint64_t largest) {
  return std::make_unique<FindRepeats>(largest);
}

}  // namespace roundel::primitives
