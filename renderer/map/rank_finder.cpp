#include "renderer/map/rank_finder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace roundel {
namespace {

/// Numbers that are kept, once that few are left to choose from.
constexpr std::uint64_t kCollected = std::uint64_t{1} << 21;
constexpr int kLaterDigitBits = 11;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// Ascends with the number; −0 and 0 are one.
std::uint64_t key_of(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double number_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

std::uint64_t prefix_of(std::uint64_t key, int shift) {
  return shift == 64 ? 0 : key >> shift;
}

}  // namespace

RankFinder::Share RankFinder::share_of_percent(double percent) {
  constexpr std::uint64_t kParts = 1'000'000'000;
  return {static_cast<std::uint64_t>(std::llround(percent * static_cast<double>(kParts))),
          100 * kParts};
}

std::size_t RankFinder::bucket_of(std::uint64_t prefix) const {
  const auto found = std::lower_bound(prefixes_.begin(), prefixes_.end(), prefix);
  return found != prefixes_.end() && *found == prefix
             ? static_cast<std::size_t>(found - prefixes_.begin())
             : prefixes_.size();
}

void RankFinder::count(std::span<const double> numbers, Found& found) const {
  if (shift_ == 64) {
    found.counts.resize(std::size_t{1} << digit_bits_);
    for (const double number : numbers)
      if (!std::isnan(number)) ++found.counts[key_of(number) >> (64 - digit_bits_)];
    return;
  }
  found.counts.resize(digit_bits_ == 0 ? 0 : prefixes_.size() << digit_bits_);
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    const std::uint64_t key = key_of(number);
    const std::size_t bucket = bucket_of(prefix_of(key, shift_));
    if (bucket == prefixes_.size()) continue;
    if (digit_bits_ == 0) {
      found.numbers.push_back(number);
    } else {
      const std::uint64_t digit =
          key >> (shift_ - digit_bits_) & ((std::uint64_t{1} << digit_bits_) - 1);
      ++found.counts[(bucket << digit_bits_) + digit];
    }
  }
}

void RankFinder::add(const Found& found) {
  pass_.counts.resize(std::max(pass_.counts.size(), found.counts.size()));
  for (std::size_t i = 0; i < found.counts.size(); ++i) pass_.counts[i] += found.counts[i];
  pass_.numbers.insert(pass_.numbers.end(), found.numbers.begin(), found.numbers.end());
}

bool RankFinder::end_pass() {
  const Found pass = std::exchange(pass_, {});
  if (wanted_.empty()) {
    std::uint64_t n = 0;
    for (const std::uint64_t count : pass.counts) n += count;
    if (n == 0 || shares_.empty()) return false;
    for (const Share& share : shares_) {
      // ⌈part·n/whole⌉ by halves, so that nothing overflows.
      const std::uint64_t whole = n / share.whole * share.part;
      const std::uint64_t rest = n % share.whole;
      const auto part = static_cast<unsigned __int128>(rest) * share.part;
      const auto up = static_cast<std::uint64_t>((part + share.whole - 1) / share.whole);
      wanted_.push_back({std::max<std::uint64_t>(whole + up, 1) - 1, 0});
    }
    prefixes_ = {0};
  }
  if (digit_bits_ == 0) {
    std::vector<double> sorted = pass.numbers;
    std::sort(sorted.begin(), sorted.end(),
              [](double a, double b) { return key_of(a) < key_of(b); });
    for (const Wanted& wanted : wanted_) {
      const auto first = std::partition_point(sorted.begin(), sorted.end(), [&](double number) {
        return prefix_of(key_of(number), shift_) < wanted.prefix;
      });
      percentiles_.push_back(first[static_cast<std::ptrdiff_t>(wanted.rank)] + 0.0);
    }
    return false;
  }
  std::uint64_t left = 0;  // numbers to choose from
  std::uint64_t last = ~std::uint64_t{0};
  for (Wanted& wanted : wanted_) {
    std::size_t at = bucket_of(wanted.prefix) << digit_bits_;
    std::uint64_t digit = 0;
    for (; wanted.rank >= pass.counts[at]; ++at, ++digit) wanted.rank -= pass.counts[at];
    wanted.prefix = (wanted.prefix << digit_bits_) + digit;
    if (wanted.prefix != last) left += pass.counts[at];
    last = wanted.prefix;
  }
  prefixes_.clear();
  for (const Wanted& wanted : wanted_) prefixes_.push_back(wanted.prefix);
  std::sort(prefixes_.begin(), prefixes_.end());
  prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end()), prefixes_.end());
  shift_ -= digit_bits_;
  if (shift_ == 0) {
    for (const Wanted& wanted : wanted_) percentiles_.push_back(number_of(wanted.prefix));
    return false;
  }
  digit_bits_ = left <= kCollected ? 0 : std::min(kLaterDigitBits, shift_);
  return true;
}

}  // namespace roundel
