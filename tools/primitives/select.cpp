#include "tools/primitives/select.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tools/primitives/chunks.h"
#include "tools/primitives/cuda/device_rows.h"
#include "tools/primitives/select_part.h"
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
struct IsBelow {
  const std::int32_t* in;
  bool operator()(std::uint64_t i) const { return in[i] < kSelectionLimit; }
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

/// What this thread's part keeps, until its place is known.
alignas(64) thread_local std::uint32_t gathered[kPart];

/// All threads of the calling arena, in one pass over the memory (in_one_pass in chunks.h): a part
/// is gathered, then copied to its place. [5, 0, 6 | 7, 0, 0 | 8, 9, 0] keeps 2, 1, 2 → places 0,
/// 2, 3 → [5, 6, 7, 8, 9].
template <typename Value>
std::uint64_t select_one_pass(Kept what, const std::int32_t* in, std::uint64_t n, Value* out) {
  auto* const places = reinterpret_cast<std::uint32_t*>(out);
  const auto gather = [&](Part part) {
    return static_cast<std::int64_t>(gather_part(what, in, part.begin, part.end, gathered));
  };
  const auto write = [&](Part, std::int64_t before, std::int64_t own, Part) {
    stream_part(gathered, static_cast<std::size_t>(own), places + before);
  };
  return static_cast<std::uint64_t>(in_one_pass(n, gather, write));
}

}  // namespace

std::uint64_t compact_serial(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_serial(in.size(), IsNotZero{in.data()}, ElementOf{in.data()}, out);
}

std::uint64_t compact_one_pass(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_one_pass(Kept::kNotZero, in.data(), in.size(), out);
}

std::uint64_t select_below_serial(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_serial(in.size(), IsBelow{in.data()}, ElementOf{in.data()}, out);
}

std::uint64_t select_below_one_pass(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_one_pass(Kept::kBelowLimit, in.data(), in.size(), out);
}

std::uint64_t find_repeats_serial(std::span<const std::int32_t> in, std::uint32_t* out) {
  return select_serial(pairs(in), IsRepeated{in.data()}, Position{}, out);
}

std::uint64_t find_repeats_one_pass(std::span<const std::int32_t> in, std::uint32_t* out) {
  return select_one_pass(Kept::kRepeated, in.data(), pairs(in), out);
}

namespace {

/// What the selections share: int32 in, 4 bytes out for each that is taken.
template <typename Value>
class Selection : public Primitive {
 public:
  using Function = std::uint64_t (*)(std::span<const std::int32_t>, Value*);

  std::vector<Variant> variants() override {
    std::vector<Variant> all = {variant("CPU, one thread, no scan", serial_),
                                variant("CPU, all threads, one pass", one_pass_)};
    for (Variant& more : device_variants()) all.push_back(std::move(more));
    return all;
  }
  double bytes(std::uint64_t n) const override {
    return 4.0 * static_cast<double>(n) + 4.0 * static_cast<double>(count_);
  }
  bool is_right(std::uint64_t n) const override {
    const std::uint64_t end = n < lacking_ ? 0 : n - lacking_;
    const auto expected = static_cast<std::uint64_t>(
        std::lower_bound(positions_.begin(), positions_.end(), end) - positions_.begin());
    return count_ == expected && all_of(expected, [&](std::uint64_t i) {
             return out_[i] == expected_value(positions_[i]);
           });
  }
  void spoil(std::uint64_t n) override {
    fill(out_, n, [](std::uint64_t) { return static_cast<Value>(-1); });
    count_ = ~std::uint64_t{0};
  }

 protected:
  /// `value(i)`: the input's element i; `keep(i)`: whether position i is taken where it is not
  /// among the last `lacking`.
  template <typename ValueOf, typename Keep>
  Selection(std::uint64_t largest, const ValueOf& value, const Keep& keep, std::uint64_t lacking,
            Function serial, Function one_pass)
      : in_(largest), out_(largest), lacking_(lacking), serial_(serial), one_pass_(one_pass) {
    fill(in_, largest, value);
    for (std::uint64_t i = 0; i + lacking < largest; ++i)
      if (keep(in_.data(), i)) positions_.push_back(static_cast<std::uint32_t>(i));
  }

  virtual Value expected_value(std::uint32_t position) const = 0;
  virtual std::vector<Variant> device_variants() = 0;

  std::span<const std::int32_t> input() const { return in_.span(); }
  std::span<Value> output() { return out_.span(); }
  std::uint64_t& count() { return count_; }

 private:
  Variant variant(const char* name, Function function) {
    return {name, [this, function](std::uint64_t n, int repeats) {
              return time_on_cpu(repeats,
                                 [&] { count_ = function(in_.span().first(n), out_.data()); });
            }};
  }

  Buffer<std::int32_t> in_;
  Buffer<Value> out_;
  std::vector<std::uint32_t> positions_;  // taken, of all of the input
  std::uint64_t lacking_;                 // at the end of any n, not taken
  Function serial_, one_pass_;
  std::uint64_t count_ = 0;
};

class Compaction final : public Selection<std::int32_t> {
 public:
  explicit Compaction(std::uint64_t largest)
      : Selection(
            largest,
            [](std::uint64_t i) {  // half of them, and each another number
              const std::uint64_t bits = random_bits(i);
              return bits % 2 == 0 ? 0 : static_cast<std::int32_t>(bits >> 33 | 1);
            },
            [](const std::int32_t* in, std::uint64_t i) { return in[i] != 0; }, 0, compact_serial,
            compact_one_pass) {}

  std::string name() const override { return "compaction"; }
  std::string text() const override { return "those of n int32 that are not 0, half of them"; }

 private:
  std::int32_t expected_value(std::uint32_t position) const override { return input()[position]; }
  std::vector<Variant> device_variants() override {
    return device_compaction_variants(input(), output(), count());
  }
};

class SelectionBelow final : public Selection<std::int32_t> {
 public:
  explicit SelectionBelow(std::uint64_t largest)
      : Selection(
            largest,
            [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) >> 32); },
            [](const std::int32_t* in, std::uint64_t i) { return in[i] < kSelectionLimit; }, 0,
            select_below_serial, select_below_one_pass) {}

  std::string name() const override { return "selection"; }
  std::string text() const override {
    return "those of n int32 below a limit, half of them: any predicate";
  }

 private:
  std::int32_t expected_value(std::uint32_t position) const override { return input()[position]; }
  std::vector<Variant> device_variants() override {
    return device_selection_variants(input(), kSelectionLimit, output(), count());
  }
};

class FindRepeats final : public Selection<std::uint32_t> {
 public:
  explicit FindRepeats(std::uint64_t largest)
      : Selection(
            largest, [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) % 8); },
            [](const std::int32_t* in, std::uint64_t i) { return in[i] - in[i + 1] == 0; }, 1,
            find_repeats_serial, find_repeats_one_pass) {}

  std::string name() const override { return "find-repeats"; }
  std::string text() const override {
    return "positions i with a[i] = a[i + 1] in n int32, an eighth of them";
  }

 private:
  std::uint32_t expected_value(std::uint32_t position) const override { return position; }
  std::vector<Variant> device_variants() override {
    return device_find_repeats_variants(input(), output(), count());
  }
};

}  // namespace

std::unique_ptr<Primitive> make_compaction(std::uint64_t largest) {
  return std::make_unique<Compaction>(largest);
}

std::unique_ptr<Primitive> make_selection(std::uint64_t largest) {
  return std::make_unique<SelectionBelow>(largest);
}

std::unique_ptr<Primitive> make_find_repeats(std::uint64_t largest) {
  return std::make_unique<FindRepeats>(largest);
}

}  // namespace roundel::primitives
