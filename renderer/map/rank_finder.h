#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Finds exact percentiles of more numbers than fit in memory: passes count over their bits, most
/// significant first.
class RankFinder {
 public:
  /// part/whole with 0 <= part <= whole.
  struct Share {
    std::uint64_t part, whole;
  };
  /// Rounded to 9 decimals.
  static Share share_of_percent(double percent);

  /// Bytes; more gains no speed.
  static constexpr std::uint64_t kMaxPartBytes = std::uint64_t{16} << 20;
  /// Bytes for 257 shares, in up to 36 passes.
  static constexpr std::uint64_t kMinPartBytes = std::uint64_t{1} << 14;

  /// `part_bytes`: per thread, at least kMinPartBytes for each 257 shares; less memory takes more
  /// passes.
  explicit RankFinder(std::vector<Share> shares, std::uint64_t part_bytes = kMaxPartBytes);

  /// A thread's part of a pass; starts empty.
  using Counts = std::vector<std::uint64_t>;
  /// Ignores NaN. Thread-safe.
  void count(std::span<const double> numbers, Counts& counts);
  /// Adds a thread's part.
  void add(const Counts& counts);
  /// Ends a pass over all numbers. True if another is needed.
  bool end_pass();

  /// Results by share, after the last pass; empty without numbers.
  const std::vector<double>& percentiles() const { return percentiles_; }
  /// Upper bound in bytes for up to 257 shares of `rows` numbers on `threads` threads.
  static std::uint64_t memory_bytes(std::uint64_t rows, std::uint64_t part_bytes,
                                    std::uint64_t threads);

 private:
  struct Target {
    std::uint64_t rank;    ///< among the numbers with this prefix, from 0
    std::uint64_t prefix;  ///< a key's first bits
  };
  std::size_t bucket_of(std::uint64_t prefix) const;
  void collect(std::span<const double> numbers);
  /// Extends the targets' prefixes by the digit that a pass counted. Returns the number of numbers
  /// with these prefixes.
  std::uint64_t extend_prefixes(const Counts& pass);
  /// Bits to count for `prefixes` prefixes: 1 to `max_bits`.
  int bits_that_fit(std::size_t prefixes, int max_bits) const;
  void finish_from_collected();

  std::vector<Share> shares_;
  std::uint64_t part_bytes_;
  std::vector<Target> targets_;          ///< one per share; empty in the first pass
  std::vector<std::uint64_t> prefixes_;  ///< ascending
  int shift_ = 64;                       ///< right shift of a key to its known bits
  int digit_bits_;                       ///< counted in this pass; 0: it collects
  Counts pass_;
  Buffer<double> collected_;  ///< the last numbers, once they are few
  std::size_t collected_count_ = 0;
  std::vector<double> percentiles_;
};

}  // namespace roundel
