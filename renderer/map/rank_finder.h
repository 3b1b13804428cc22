#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace roundel {

/// Finds percentiles of numbers too many to keep, exactly, by going through them a few times and
/// counting over their bits, most significant first. The percentile p of n numbers is the one of
/// rank ⌈p·n/100⌉, at least 1. Memory: 4 MiB a thread for 257 percentiles, and 16 MiB.
class RankFinder {
 public:
  /// Each a share part/whole with 0 <= part <= whole.
  struct Share {
    std::uint64_t part, whole;
  };
  /// Per cent with up to 9 decimals, rounded to that.
  static Share share_of_percent(double percent);

  explicit RankFinder(std::vector<Share> shares) : shares_(std::move(shares)) {}

  /// What a thread finds in a pass.
  struct Found {
    std::vector<std::uint64_t> counts;
    std::vector<double> numbers;
  };
  /// Adds numbers of the pass to what a thread has found; NaN is left out. From many threads at
  /// once, each with a `found` of its own that begins empty.
  void count(std::span<const double> numbers, Found& found) const;
  /// Adds a thread's part to the pass.
  void add(const Found& found);
  /// To be called when all numbers have been counted. True if another pass is needed.
  bool end_pass();

  /// When no pass is needed any more: by share; empty where there are no numbers.
  const std::vector<double>& percentiles() const { return percentiles_; }

 private:
  struct Wanted {
    std::uint64_t rank;    ///< among the numbers that begin with these bits, from 0
    std::uint64_t prefix;  ///< a key's first bits
  };
  std::size_t bucket_of(std::uint64_t prefix) const;
  void begin_next();

  std::vector<Share> shares_;
  std::vector<Wanted> wanted_;           ///< one a share; empty in the first pass
  std::vector<std::uint64_t> prefixes_;  ///< that are wanted, ascending
  int shift_ = 64;                       ///< of the bits that are known
  int digit_bits_ = 16;                  ///< that this pass counts; 0: it collects
  Found pass_;
  std::vector<double> percentiles_;
};

}  // namespace roundel
