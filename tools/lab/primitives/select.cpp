#include "tools/lab/primitives/select.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tools/lab/primitives/chunks.h"
#include "tools/lab/primitives/cuda/device_rows.h"
#include "tools/lab/primitives/variant.h"

namespace roundel::primitives {
namespace {

/// Returns the number of positions that have a next one.
std::uint64_t pairs(std::span<const std::int32_t> in) {
  return in.empty() ? 0 : in.size() - 1;
}

/// Elements kept of this thread's part, until their position is known.
alignas(64) thread_local std::uint32_t gathered[kPart];

/// All threads of the calling arena, in one pass over the memory (in_one_pass in chunks.h): a part
/// is gathered, then copied to its position. [5, 0, 6 | 7, 0, 0 | 8, 9, 0] keeps 2, 1, 2 →
/// positions 0, 2, 3 → [5, 6, 7, 8, 9].
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
  const auto element = [a = in.data()](std::uint64_t i) { return a[i]; };
  return select_serial(
      in.size(), [a = in.data()](std::uint64_t i) { return a[i] != 0; }, element, out);
}

std::uint64_t compact_one_pass(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_one_pass(Kept::kNotZero, in.data(), in.size(), out);
}

std::uint64_t select_below_serial(std::span<const std::int32_t> in, std::int32_t* out) {
  const auto element = [a = in.data()](std::uint64_t i) { return a[i]; };
  return select_serial(
      in.size(), [a = in.data()](std::uint64_t i) { return a[i] < kSelectionLimit; }, element, out);
}

std::uint64_t select_below_one_pass(std::span<const std::int32_t> in, std::int32_t* out) {
  return select_one_pass(Kept::kBelowLimit, in.data(), in.size(), out);
}

std::uint64_t find_repeats_serial(std::span<const std::int32_t> in, std::uint32_t* out) {
  const auto position = [](std::uint64_t i) { return static_cast<std::uint32_t>(i); };
  return select_serial(
      pairs(in), [a = in.data()](std::uint64_t i) { return a[i] == a[i + 1]; }, position, out);
}

std::uint64_t find_repeats_one_pass(std::span<const std::int32_t> in, std::uint32_t* out) {
  return select_one_pass(Kept::kRepeated, in.data(), pairs(in), out);
}

namespace {

/// A selection: int32 in, 4 bytes out for each taken position, a Value.
template <typename Value>
class Selection final : public Primitive {
 public:
  struct What {
    std::string name, text;
    std::int32_t (*value)(std::uint64_t i);                          ///< element i of the input
    bool (*is_taken)(const std::int32_t* in, std::uint64_t i);       ///< position i
    Value (*expected)(const std::int32_t* in, std::uint32_t taken);  ///< for that position
    std::uint64_t lacking;  ///< positions at the end of any n that are never taken
    std::uint64_t (*serial)(std::span<const std::int32_t>, Value*);
    std::uint64_t (*one_pass)(std::span<const std::int32_t>, Value*);
    std::vector<Variant> (*device_variants)(std::span<const std::int32_t>, std::span<Value>,
                                            std::uint64_t& count);
  };

  Selection(std::uint64_t largest, What what)
      : what_(std::move(what)), in_(largest), out_(largest) {
    fill(in_, largest, what_.value);
    for (std::uint64_t i = 0; i + what_.lacking < largest; ++i)
      if (what_.is_taken(in_.data(), i)) positions_.push_back(static_cast<std::uint32_t>(i));
  }

  std::string name() const override { return what_.name; }
  std::string text() const override { return what_.text; }
  std::vector<Variant> variants() override {
    std::vector<Variant> all = {variant("CPU, one thread, no scan", what_.serial),
                                variant("CPU, all threads, one pass", what_.one_pass)};
    for (Variant& more : what_.device_variants(in_.span(), out_.span(), count_))
      all.push_back(std::move(more));
    return all;
  }
  double bytes(std::uint64_t n) const override {
    return 4.0 * static_cast<double>(n) + 4.0 * static_cast<double>(count_);
  }
  bool is_right(std::uint64_t n) const override {
    const std::uint64_t end = n < what_.lacking ? 0 : n - what_.lacking;
    const auto expected = static_cast<std::uint64_t>(
        std::lower_bound(positions_.begin(), positions_.end(), end) - positions_.begin());
    return count_ == expected && all_of(expected, [&](std::uint64_t i) {
             return out_[i] == what_.expected(in_.data(), positions_[i]);
           });
  }
  void spoil(std::uint64_t n) override {
    fill(out_, n, [](std::uint64_t) { return static_cast<Value>(-1); });
    count_ = ~std::uint64_t{0};
  }

 private:
  Variant variant(const char* name,
                  std::uint64_t (*function)(std::span<const std::int32_t>, Value*)) {
    return {name, [this, function](std::uint64_t n, int repeats) {
              return time_on_cpu(repeats,
                                 [&] { count_ = function(in_.span().first(n), out_.data()); });
            }};
  }

  What what_;
  Buffer<std::int32_t> in_;
  Buffer<Value> out_;
  std::vector<std::uint32_t> positions_;  // taken, in all of the input
  std::uint64_t count_ = 0;
};

std::int32_t element_at(const std::int32_t* in, std::uint32_t position) {
  return in[position];
}

}  // namespace

std::unique_ptr<Primitive> make_compaction(std::uint64_t largest) {
  const auto value = [](std::uint64_t i) {  // half of them, and all numbers different
    const std::uint64_t bits = random_bits(i);
    return bits % 2 == 0 ? 0 : static_cast<std::int32_t>(bits >> 33 | 1);
  };
  return std::make_unique<Selection<std::int32_t>>(
      largest, Selection<std::int32_t>::What{
                   "compaction", "those of n int32 that are not 0, half of them", value,
                   [](const std::int32_t* in, std::uint64_t i) { return in[i] != 0; }, element_at,
                   0, compact_serial, compact_one_pass, device_compaction_variants});
}

std::unique_ptr<Primitive> make_selection(std::uint64_t largest) {
  return std::make_unique<Selection<std::int32_t>>(
      largest,
      Selection<std::int32_t>::What{
          "selection", "those of n int32 below a limit, half of them: any predicate",
          [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) >> 32); },
          [](const std::int32_t* in, std::uint64_t i) { return in[i] < kSelectionLimit; },
          element_at, 0, select_below_serial, select_below_one_pass,
          [](std::span<const std::int32_t> in, std::span<std::int32_t> out, std::uint64_t& count) {
            return device_selection_variants(in, kSelectionLimit, out, count);
          }});
}

std::unique_ptr<Primitive> make_find_repeats(std::uint64_t largest) {
  return std::make_unique<Selection<std::uint32_t>>(
      largest, Selection<std::uint32_t>::What{
                   "find-repeats", "positions i with a[i] = a[i + 1] in n int32, an eighth of them",
                   [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) % 8); },
                   [](const std::int32_t* in, std::uint64_t i) { return in[i] - in[i + 1] == 0; },
                   [](const std::int32_t*, std::uint32_t position) { return position; }, 1,
                   find_repeats_serial, find_repeats_one_pass, device_find_repeats_variants});
}

}  // namespace roundel::primitives
