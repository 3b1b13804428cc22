#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Finds percentiles of numbers too many to keep, exactly, by going through them a few times and
/// counting over their bits, most significant first.
class RankFinder {
 public:
  /// Each a share part/whole with 0 <= part <= whole.
  struct Share {
    std::uint64_t part, whole;
  };
  /// Per cent with up to 9 decimals, rounded to that.
  static Share share_of_percent(double percent);

  /// Memory of a thread's part of a pass beyond which it gains no speed, in bytes.
  static constexpr std::uint64_t kMaxPartBytes = std::uint64_t{16} << 20;
  /// The least that 257 shares work with, in 36 passes or fewer.
  static constexpr std::uint64_t kMinPartBytes = std::uint64_t{1} << 14;

  /// `part_bytes`: memory that a thread's part of a pass may take, kMinPartBytes or more for each
  /// 257 shares; with less of it there are more passes.
  explicit RankFinder(std::vector<Share> shares, std::uint64_t part_bytes = kMaxPartBytes);

  /// A thread's part of a pass; begins empty.
  using Counts = std::vector<std::uint64_t>;
  /// Counts numbers of the pass; NaN is left out. From many threads at once.
  void count(std::span<const double> numbers, Counts& counts);
  /// Adds a thread's part to the pass.
  void add(const Counts& counts);
  /// To be called when all numbers have been counted. True if another pass is needed.
  bool end_pass();

  /// When no pass is needed any more: by share; empty where there are no numbers.
  const std::vector<double>& percentiles() const { return percentiles_; }
  /// Returns an upper bound of a finder's main memory for up to 257 shares of `rows` numbers that
  /// `threads` threads count, in bytes.
  static std::uint64_t memory_bytes(std::uint64_t rows, std::uint64_t part_bytes,
                                    std::uint64_t threads);

 private:
  struct Wanted {
    std::uint64_t rank;    ///< among the numbers that begin with these bits, from 0
    std::uint64_t prefix;  ///< a key's first bits
  };
  std::size_t bucket_of(std::uint64_t prefix) const;
  void collect(std::span<const double> numbers);
  /// Adds the digit that a pass has counted to what is known of each wanted number's bits. Returns
  /// how many numbers begin with one of the new prefixes.
  std::uint64_t extend_prefixes(const Counts& pass);
  /// Returns the bits that a pass counts for `prefixes` prefixes: at most `most`, 1 or more.
  int bits_that_fit(std::size_t prefixes, int most) const;
  void find_in_collected();

  std::vector<Share> shares_;
  std::uint64_t part_bytes_;
  std::vector<Wanted> wanted_;           ///< one a share; empty in the first pass
  std::vector<std::uint64_t> prefixes_;  ///< that are wanted, ascending
  int shift_ = 64;                       ///< of the bits that are known
  int digit_bits_;                       ///< that this pass counts; 0: it collects
  Counts pass_;
  Buffer<double> collected_;  ///< the numbers that are left, when they are few
  std::size_t collected_count_ = 0;
  std::vector<double> percentiles_;
};

}  // namespace roundel
