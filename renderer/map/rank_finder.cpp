#include "renderer/map/rank_finder.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace roundel {
namespace {

constexpr int kFirstDigitBits = 16, kLaterDigitBits = 11;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// Ascends with the number; −0 equals 0.
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

/// Index of the percentile: ⌈part·n/whole⌉ − 1, at least 0.
std::uint64_t rank_of(const RankFinder::Share& share, std::uint64_t n) {
  // Split to avoid overflow.
  const std::uint64_t whole = n / share.whole * share.part;
  const std::uint64_t rest = n % share.whole;
  const auto part = static_cast<unsigned __int128>(rest) * share.part;
  const auto up = static_cast<std::uint64_t>((part + share.whole - 1) / share.whole);
  return std::max<std::uint64_t>(whole + up, 1) - 1;
}

}  // namespace

RankFinder::Share RankFinder::share_of_percent(double percent) {
  constexpr std::uint64_t kParts = 1'000'000'000;
  return {static_cast<std::uint64_t>(std::llround(percent * static_cast<double>(kParts))),
          100 * kParts};
}

RankFinder::RankFinder(std::vector<Share> shares, std::uint64_t part_bytes)
    : shares_(std::move(shares)),
      part_bytes_(part_bytes),
      digit_bits_(bits_that_fit(1, kFirstDigitBits)) {}

int RankFinder::bits_that_fit(std::size_t prefixes, int max_bits) const {
  const std::uint64_t counters = part_bytes_ / sizeof(std::uint64_t) / prefixes;
  return std::clamp(static_cast<int>(std::bit_width(counters)) - 1, 1, max_bits);
}

std::uint64_t RankFinder::memory_bytes(std::uint64_t rows, std::uint64_t part_bytes,
                                       std::uint64_t threads) {
  constexpr std::uint64_t kFirst = sizeof(std::uint64_t) << kFirstDigitBits;
  const std::uint64_t collected = std::min(rows * sizeof(double), part_bytes);
  const bool is_collected_at_once = rows * sizeof(double) <= part_bytes;
  constexpr std::uint64_t kLater = (sizeof(std::uint64_t) << kLaterDigitBits) * 257;
  const std::uint64_t part = std::min(part_bytes, is_collected_at_once ? kFirst : kLater);
  return std::max((threads + 1) * part, block_memory(collected));
}

std::size_t RankFinder::bucket_of(std::uint64_t prefix) const {
  const auto found = std::lower_bound(prefixes_.begin(), prefixes_.end(), prefix);
  return found != prefixes_.end() && *found == prefix
             ? static_cast<std::size_t>(found - prefixes_.begin())
             : prefixes_.size();
}

void RankFinder::count(std::span<const double> numbers, Counts& counts) {
  if (shift_ == 64) {
    counts.resize(std::size_t{1} << digit_bits_);
    for (const double number : numbers)
      if (!std::isnan(number)) ++counts[key_of(number) >> (64 - digit_bits_)];
    return;
  }
  if (digit_bits_ == 0) return collect(numbers);
  counts.resize(prefixes_.size() << digit_bits_);
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    const std::uint64_t key = key_of(number);
    const std::size_t bucket = bucket_of(prefix_of(key, shift_));
    if (bucket == prefixes_.size()) continue;
    const std::uint64_t digit =
        key >> (shift_ - digit_bits_) & ((std::uint64_t{1} << digit_bits_) - 1);
    ++counts[(bucket << digit_bits_) + digit];
  }
}

void RankFinder::collect(std::span<const double> numbers) {
  constexpr std::size_t kBatch = 512;
  std::array<double, kBatch> batch;  // NOLINT: only the first `size` are set
  while (!numbers.empty()) {
    std::size_t size = 0;
    const std::span<const double> piece = numbers.first(std::min(kBatch, numbers.size()));
    for (const double number : piece)
      if (!std::isnan(number) && bucket_of(prefix_of(key_of(number), shift_)) < prefixes_.size())
        batch[size++] = number;
    const std::size_t at = std::atomic_ref(collected_count_).fetch_add(size);
    // More arrive only if the numbers changed since the previous pass.
    if (at + size <= collected_.size()) std::copy_n(batch.begin(), size, &collected_[at]);
    numbers = numbers.subspan(piece.size());
  }
}

void RankFinder::add(const Counts& counts) {
  pass_.resize(std::max(pass_.size(), counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) pass_[i] += counts[i];
}

bool RankFinder::end_pass() {
  const Counts pass = std::exchange(pass_, {});
  if (digit_bits_ == 0) {
    finish_from_collected();
    return false;
  }
  if (targets_.empty()) {
    const std::uint64_t n = std::accumulate(pass.begin(), pass.end(), std::uint64_t{0});
    if (n == 0 || shares_.empty()) return false;
    for (const Share& share : shares_) targets_.push_back({rank_of(share, n), 0});
    prefixes_ = {0};
  }
  const std::uint64_t left = extend_prefixes(pass);
  if (shift_ == 0) {
    for (const Target& target : targets_) percentiles_.push_back(number_of(target.prefix));
    return false;
  }
  digit_bits_ = left * sizeof(double) <= part_bytes_
                    ? 0
                    : bits_that_fit(prefixes_.size(), std::min(kLaterDigitBits, shift_));
  if (digit_bits_ == 0) collected_ = Buffer<double>(left);
  return true;
}

std::uint64_t RankFinder::extend_prefixes(const Counts& pass) {
  std::map<std::uint64_t, std::uint64_t> chosen;  // numbers by prefix
  for (Target& target : targets_) {
    std::size_t at = bucket_of(target.prefix) << digit_bits_;
    std::uint64_t digit = 0;
    for (; target.rank >= pass[at]; ++at, ++digit) target.rank -= pass[at];
    target.prefix = (target.prefix << digit_bits_) + digit;
    chosen[target.prefix] = pass[at];
  }
  shift_ -= digit_bits_;
  prefixes_.clear();
  std::uint64_t left = 0;
  for (const auto& [prefix, count] : chosen) {
    prefixes_.push_back(prefix);
    left += count;
  }
  return left;
}

void RankFinder::finish_from_collected() {
  Buffer<double> sorted = std::exchange(collected_, {});
  std::fill(sorted.begin() + std::min(collected_count_, sorted.size()), sorted.end(), 0.0);
  tbb::parallel_sort(sorted.begin(), sorted.end(),
                     [](double a, double b) { return key_of(a) < key_of(b); });
  for (const Target& target : targets_) {
    const auto first = std::partition_point(sorted.begin(), sorted.end(), [&](double number) {
      return prefix_of(key_of(number), shift_) < target.prefix;
    });
    percentiles_.push_back(first[static_cast<std::ptrdiff_t>(target.rank)] + 0.0);
  }
}

}  // namespace roundel
