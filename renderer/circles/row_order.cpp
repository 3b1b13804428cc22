#include "renderer/circles/row_order.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "renderer/map/mapped_rows.h"

namespace roundel {
namespace {

constexpr int kBucketBits = 11;
constexpr std::size_t kBuckets = (std::size_t{1} << kBucketBits) + 1;  // and one for NaN
constexpr std::size_t kMaxSlabs = 64;
constexpr std::size_t kSlabRows = 65'536;

struct OrderEntry {
  std::uint64_t key;
  std::uint32_t row;
  bool operator<(const OrderEntry& other) const {
    return key != other.key ? key < other.key : row < other.row;
  }
};
/// Larger buckets are divided again.
constexpr std::size_t kMaxBucketRows = std::size_t{1} << 15;

/// Maps keys by the first bits that differ.
class Buckets {
 public:
  Buckets(std::uint64_t lowest, std::uint64_t highest)
      : lowest_(lowest),
        shift_(std::max(0, static_cast<int>(std::bit_width(highest - lowest)) - kBucketBits)) {}
  std::size_t of(std::uint64_t key) const {
    return key == 0 ? 0 : 1 + static_cast<std::size_t>((key - lowest_) >> shift_);
  }

 private:
  std::uint64_t lowest_;
  int shift_;
};

std::size_t slabs_of(std::size_t count) {
  return std::clamp<std::size_t>(count / kSlabRows, 1, kMaxSlabs);
}

/// Sorts value_of(i) by bucket_of(i), i < out.size(); stable: counts, their exclusive scan, values.
/// Returns the buckets' begins, and the end.
template <typename ValueOf, typename BucketOf>
std::vector<std::size_t> sort_into(std::span<std::uint32_t> out, std::size_t buckets,
                                   const ValueOf& value_of, const BucketOf& bucket_of) {
  const std::size_t slabs = slabs_of(out.size());
  const auto begin_of = [&](std::size_t s) { return out.size() * s / slabs; };
  std::vector<std::vector<std::size_t>> next(slabs);
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t s) {
    next[s].assign(buckets, 0);
    for (std::size_t i = begin_of(s); i < begin_of(s + 1); ++i) ++next[s][bucket_of(i)];
  });
  std::vector<std::size_t> begins(buckets + 1, out.size());
  std::size_t place = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    begins[b] = place;
    for (auto& of_slab : next) place += std::exchange(of_slab[b], place);
  }
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t s) {
    for (std::size_t i = begin_of(s); i < begin_of(s + 1); ++i)
      out[next[s][bucket_of(i)]++] = value_of(i);
  });
  return begins;
}

std::uint32_t itself(std::size_t i) {
  return static_cast<std::uint32_t>(i);
}

/// Sorts rows row_of(0), row_of(1), … into buckets; stable. Returns the buckets' begins, and the
/// end. Rows share one bucket only if all keys are equal.
template <typename RowOf>
std::vector<std::size_t> distribute(std::span<const std::uint64_t> keys,
                                    std::span<std::uint32_t> out, const RowOf& row_of) {
  const std::size_t count = out.size(), slabs = slabs_of(count);
  const auto begin_of = [&](std::size_t s) { return count * s / slabs; };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds(slabs);  // without NaN's keys
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t s) {
    std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max(), highest = 0;
    for (std::size_t i = begin_of(s); i < begin_of(s + 1); ++i) {
      const std::uint64_t key = keys[row_of(i)];
      if (key != 0) lowest = std::min(lowest, key);
      highest = std::max(highest, key);
    }
    bounds[s] = {lowest, highest};
  });
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max(), highest = 0;
  for (const auto& [low, high] : bounds) {
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
  const Buckets buckets(std::min(lowest, highest), highest);
  return sort_into(out, kBuckets, row_of,
                   [&](std::size_t i) { return buckets.of(keys[row_of(i)]); });
}

}  // namespace

void NumberOrder::add(std::size_t first, std::span<const double> numbers,
                      std::span<const std::uint32_t> kept, bool descending) {
  for (std::size_t j = 0; j < kept.size(); ++j)
    keys_[first + j] = order_key(numbers[kept[j]], descending);
}

void NumberOrder::add_keys(std::size_t first, std::span<const std::uint64_t> keys,
                           std::span<const std::uint32_t> kept) {
  for (std::size_t j = 0; j < kept.size(); ++j) keys_[first + j] = keys[kept[j]];
}

RowNumbers NumberOrder::sorted() {
  RowNumbers rows(keys_.size());
  sort_buckets(rows.span(), distribute(keys_.span(), rows.span(), itself));
  return rows;
}

void NumberOrder::sort_buckets(std::span<std::uint32_t> rows,
                               const std::vector<std::size_t>& begins) const {
  tbb::parallel_for(std::size_t{0}, kBuckets, [&](std::size_t b) {
    sort_bucket(rows.subspan(begins[b], begins[b + 1] - begins[b]));
  });
}

/// `rows` with equal keys must ascend.
void NumberOrder::sort_bucket(std::span<std::uint32_t> rows) const {
  if (rows.size() > kMaxBucketRows) {
    std::vector<std::size_t> begins;
    {
      RowNumbers sorted(rows.size());
      begins = distribute(keys_.span(), sorted.span(), [&](std::size_t i) { return rows[i]; });
      std::copy(sorted.begin(), sorted.end(), rows.begin());
    }
    for (std::size_t b = 0; b < kBuckets; ++b)
      if (begins[b + 1] - begins[b] == rows.size()) return;
    return sort_buckets(rows, begins);
  }
  std::vector<OrderEntry> entries;
  entries.reserve(rows.size());
  for (const std::uint32_t row : rows) entries.push_back({keys_[row], row});
  if (std::is_sorted(entries.begin(), entries.end())) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = entries[i].row;
}

std::uint64_t NumberOrder::memory_bytes(std::uint64_t rows, std::uint64_t threads) {
  return block_memory(rows * sizeof(std::uint64_t)) +
         2 * block_memory(rows * sizeof(std::uint32_t)) +
         threads * std::min<std::uint64_t>(rows, kMaxBucketRows) * sizeof(OrderEntry);
}

void TextOrder::add(std::size_t first, std::span<const std::string_view> texts,
                    std::span<const std::uint32_t> kept) {
  for (std::size_t j = 0; j < kept.size(); ++j) texts_[first + j] = texts[kept[j]];
}

RowNumbers TextOrder::sorted(bool descending) {
  RowNumbers sorted(texts_.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  tbb::parallel_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::string &text_a = texts_[a], &text_b = texts_[b];
    if (text_a.empty() != text_b.empty()) return text_a.empty();
    const int order = text_a.compare(text_b);
    if (order == 0) return a < b;
    return descending ? order > 0 : order < 0;
  });
  return sorted;
}

RowNumbers places_by_row(const RowNumbers& order) {
  RowNumbers places(order.size());
  tbb::parallel_for(std::size_t{0}, order.size(), [&](std::size_t place) {
    places[order[place]] = static_cast<std::uint32_t>(place);
  });
  return places;
}

PlacesByBlock::PlacesByBlock(std::span<const std::uint32_t> rows, std::size_t blocks,
                             const std::function<std::size_t(std::uint32_t row)>& block_of)
    : places_(rows.size()),
      begins_(sort_into(places_.span(), blocks, itself,
                        [&](std::size_t place) { return block_of(rows[place]); })) {}

}  // namespace roundel
