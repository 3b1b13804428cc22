#include "renderer/generate/row_order.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

#include "renderer/map/mapped_rows.h"

namespace roundel {
namespace {

constexpr int kBucketBits = 11;
constexpr std::size_t kBuckets = (std::size_t{1} << kBucketBits) + 1;  // and one for NaN
constexpr std::size_t kMostSlabs = 64;
constexpr std::size_t kRowsOfSlab = 65'536;

struct ComesBefore {
  bool operator()(const OrderEntry& a, const OrderEntry& b) const {
    return a.key != b.key ? a.key < b.key : a.row < b.row;
  }
};

/// The keys' first bits that differ.
class Buckets {
 public:
  Buckets(std::uint64_t least, std::uint64_t most)
      : least_(least),
        shift_(std::max(0, static_cast<int>(std::bit_width(most - least)) - kBucketBits)) {}
  std::size_t of(std::uint64_t key) const {
    return key == 0 ? 0 : 1 + static_cast<std::size_t>((key - least_) >> shift_);
  }

 private:
  std::uint64_t least_;
  int shift_;
};

}  // namespace

RowPlaces::RowPlaces(Buffer<OrderEntry> sorted) : entries_(std::move(sorted)) {
  // Keys have done their work: that of entry r becomes the place of row r.
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, entries_.size(), kRowsOfSlab),
                    [this](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end(); ++i)
                        entries_[entries_[i].row].key = i;
                    });
}

NumberOrder::NumberOrder(std::size_t rows, std::span<std::byte> scratch)
    : rows_(reinterpret_cast<OrderEntry*>(scratch.data()), rows) {
  assert(scratch.size() >= rows * sizeof(OrderEntry));
}

void NumberOrder::add(std::size_t first, std::span<const double> numbers,
                      std::span<const std::uint32_t> kept, bool descending) {
  for (std::size_t j = 0; j < kept.size(); ++j)
    rows_[first + j] = {order_key(numbers[kept[j]], descending), first + j};
}

RowPlaces NumberOrder::places() {
  const std::size_t count = rows_.size();
  const std::size_t slabs = std::clamp<std::size_t>(count / kRowsOfSlab, 1, kMostSlabs);
  const auto slab = [&](std::size_t s) {
    return rows_.subspan(count * s / slabs, count * (s + 1) / slabs - count * s / slabs);
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds(slabs);  // of keys but NaN's
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t s) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
    for (const OrderEntry& entry : slab(s)) {
      if (entry.key != 0) least = std::min(least, entry.key);
      most = std::max(most, entry.key);
    }
    bounds[s] = {least, most};
  });
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
  for (const auto& [low, high] : bounds) {
    least = std::min(least, low);
    most = std::max(most, high);
  }
  const Buckets buckets(std::min(least, most), most);

  std::vector<std::array<std::size_t, kBuckets>> next(slabs);
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t s) {
    next[s].fill(0);
    for (const OrderEntry& entry : slab(s)) ++next[s][buckets.of(entry.key)];
  });
  std::vector<std::size_t> begins(kBuckets + 1, count);
  std::size_t place = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    begins[b] = place;
    for (auto& of_slab : next) place += std::exchange(of_slab[b], place);
  }
  Buffer<OrderEntry> sorted(count);
  tbb::parallel_for(std::size_t{0}, slabs, [&](std::size_t s) {
    for (const OrderEntry& entry : slab(s)) sorted[next[s][buckets.of(entry.key)]++] = entry;
  });
  tbb::parallel_for(std::size_t{0}, kBuckets, [&](std::size_t b) {
    OrderEntry *const begin = sorted.data() + begins[b], *const end = sorted.data() + begins[b + 1];
    if (!std::is_sorted(begin, end, ComesBefore())) std::sort(begin, end, ComesBefore());
  });
  return RowPlaces(std::move(sorted));
}

void TextOrder::add(std::size_t first, std::span<const std::string_view> texts,
                    std::span<const std::uint32_t> kept) {
  for (std::size_t j = 0; j < kept.size(); ++j) texts_[first + j] = texts[kept[j]];
}

RowPlaces TextOrder::places(bool descending) {
  Buffer<OrderEntry> sorted(texts_.size());
  for (std::size_t i = 0; i < texts_.size(); ++i) sorted[i] = {texts_[i].empty() ? 0U : 1U, i};
  tbb::parallel_sort(sorted.begin(), sorted.end(), [&](const OrderEntry& a, const OrderEntry& b) {
    if (a.key != b.key) return a.key < b.key;
    const int order = texts_[a.row].compare(texts_[b.row]);
    if (order == 0) return a.row < b.row;
    return descending ? order > 0 : order < 0;
  });
  return RowPlaces(std::move(sorted));
}

}  // namespace roundel
