#include "renderer/explain/match_circles.h"

#include <tbb/parallel_invoke.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace roundel {
namespace {

/// Bits of a set.
enum CircleField : unsigned {
  kX = 1,
  kY = 2,
  kZ = 4,
  kRadius = 8,
  kPaint = 0xf0,
  kAllFields = 0xff
};

std::array<float, 8> fields_of(const Circles& circles, std::size_t i) {
  std::array<float, 8> fields{};
  std::memcpy(fields.data(), &circles.shapes[i], sizeof(Shape));
  std::memcpy(fields.data() + 4, &circles.paints[i], sizeof(Paint));
  return fields;
}

std::uint64_t hash_of(const Circles& circles, std::size_t i, unsigned which) {
  std::array<float, 8> fields = fields_of(circles, i);
  for (unsigned field = 0; field < 8; ++field)
    if ((which >> field & 1) == 0) fields[field] = 0;
  return XXH3_64bits(fields.data(), sizeof fields);
}

class Matcher {
 public:
  Matcher(const Circles& a, const Circles& b) : a_(a), b_(b) {
    const std::size_t fewer = std::min(a.count(), b.count());
    while (begin_ < fewer && equal(begin_, begin_)) ++begin_;
    end_a_ = a.count(), end_b_ = b.count();
    while (end_a_ > begin_ && end_b_ > begin_ && equal(end_a_ - 1, end_b_ - 1)) --end_a_, --end_b_;
    partner_a_.assign(end_a_ - begin_, kNoCircle);
    partner_b_.assign(end_b_ - begin_, kNoCircle);
  }

  /// If both frames have equally many circles.
  void pair_same_numbers() {
    if (end_a_ != end_b_) return;
    for (std::size_t i = begin_; i < end_a_; ++i)
      if (equal(i, i)) pair(i, i);
  }

  /// Pairs circles that agree in some fields, in order.
  void pair_by(unsigned fields) {
    std::vector<Entry> of_a, of_b;
    tbb::parallel_invoke([&] { of_a = unpaired(a_, partner_a_, fields); },
                         [&] { of_b = unpaired(b_, partner_b_, fields); });
    auto first = of_a.begin(), second = of_b.begin();
    while (first != of_a.end() && second != of_b.end()) {
      if (first->first < second->first) {
        ++first;
      } else if (second->first < first->first) {
        ++second;
      } else {
        pair(first++->second, second++->second);
      }
    }
  }

  void pair_same_places(const CircleNumbering& places_a, const CircleNumbering& places_b) {
    for (std::size_t i = begin_; i < end_a_; ++i) {
      if (partner_a_[i - begin_] != kNoCircle) continue;
      const auto j = places_b.circle_at(places_a.find(i));
      if (j && *j >= begin_ && *j < end_b_ && partner_b_[*j - begin_] == kNoCircle) pair(i, *j);
    }
  }

  std::vector<CircleChange> changes() const {
    using Kind = CircleChange::Kind;
    const std::vector<std::uint8_t> in_order = longest_order();
    std::vector<CircleChange> changes;
    for (std::size_t j = begin_; j < end_b_; ++j) {
      const auto number = static_cast<std::uint32_t>(j);
      const std::uint32_t i = partner_b_[j - begin_];
      if (i == kNoCircle) {
        changes.push_back({Kind::kAdded, kNoCircle, number});
      } else if (!equal(i, j)) {
        changes.push_back({Kind::kChanged, i, number});
      } else if (in_order[j - begin_] == 0) {
        changes.push_back({Kind::kReordered, i, number});
      }
    }
    for (std::size_t i = begin_; i < end_a_; ++i)
      if (partner_a_[i - begin_] == kNoCircle)
        changes.push_back({Kind::kRemoved, static_cast<std::uint32_t>(i), kNoCircle});
    return changes;
  }

 private:
  using Entry = std::pair<std::uint64_t, std::size_t>;  // hash, number of the circle

  bool equal(std::size_t i, std::size_t j) const {
    return std::memcmp(&a_.shapes[i], &b_.shapes[j], sizeof(Shape)) == 0 &&
           std::memcmp(&a_.paints[i], &b_.paints[j], sizeof(Paint)) == 0;
  }
  void pair(std::size_t i, std::size_t j) {
    partner_a_[i - begin_] = static_cast<std::uint32_t>(j);
    partner_b_[j - begin_] = static_cast<std::uint32_t>(i);
  }

  std::vector<Entry> unpaired(const Circles& circles, const std::vector<std::uint32_t>& partners,
                              unsigned fields) const {
    std::vector<Entry> entries;
    for (std::size_t k = 0; k < partners.size(); ++k)
      if (partners[k] == kNoCircle)
        entries.emplace_back(hash_of(circles, begin_ + k, fields), begin_ + k);
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  /// For each circle of b between begin_ and end_b_: 1 if it is in the longest series of pairs with
  /// equal order in both frames (Fredman 1975: longest increasing subsequence).
  std::vector<std::uint8_t> longest_order() const {
    std::vector<std::uint32_t> tails;  // tails[n]: circle of b that ends the best series of n + 1
    std::vector<std::uint32_t> previous(partner_b_.size(), kNoCircle);
    const auto partner = [&](std::uint32_t k) { return partner_b_[k]; };
    for (std::uint32_t k = 0; k < partner_b_.size(); ++k) {
      if (partner(k) == kNoCircle) continue;
      const bool goes_on = tails.empty() || partner(tails.back()) < partner(k);
      const auto place =
          goes_on
              ? tails.end()
              : std::lower_bound(tails.begin(), tails.end(), partner(k),
                                 [&](std::uint32_t t, std::uint32_t i) { return partner(t) < i; });
      if (place != tails.begin()) previous[k] = *(place - 1);
      if (goes_on) {
        tails.push_back(k);
      } else {
        *place = k;
      }
    }
    std::vector<std::uint8_t> in_order(partner_b_.size());
    for (std::uint32_t k = tails.empty() ? kNoCircle : tails.back(); k != kNoCircle;
         k = previous[k])
      in_order[k] = 1;
    return in_order;
  }

  const Circles& a_;
  const Circles& b_;
  // Circles before `begin_` and after the ends are equal in both. The others have partners, by
  // number in the whole frame.
  std::size_t begin_ = 0, end_a_ = 0, end_b_ = 0;
  std::vector<std::uint32_t> partner_a_, partner_b_;
};

}  // namespace

const char* name_of(CircleChange::Kind kind) {
  constexpr const char* kNames[] = {"added", "removed", "changed", "reordered"};
  return kNames[static_cast<int>(kind)];
}

std::vector<CircleChange> match_circles(const Circles& a, const CircleNumbering& places_a,
                                        const Circles& b, const CircleNumbering& places_b) {
  Matcher matcher(a, b);
  matcher.pair_same_numbers();
  for (const unsigned fields :
       {+kAllFields, kX | kY | kZ | kRadius, kX | kY | kZ | kPaint, kZ | kRadius | kPaint})
    matcher.pair_by(fields);
  matcher.pair_same_places(places_a, places_b);
  return matcher.changes();
}

}  // namespace roundel
