#include "renderer/compare/picture_shift.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <tuple>
#include <vector>

#include "renderer/compare/byte_rows.h"
#include "renderer/compare/ignored_pixels.h"

namespace roundel {
namespace {

constexpr std::size_t kEdgeSamples = 4096;
constexpr std::size_t kVerified = 8;  ///< candidates that are counted exactly

using RowBits = std::vector<std::uint64_t>;  ///< pixel x is bit x % 64 of word x / 64

struct PixelAt {
  int x, y;
};

struct ShiftCandidate {
  int x = 0, y = 0;
  std::uint64_t mismatches = 0, compared = 0;  ///< pixels of the sample

  int length() const { return std::abs(x) + std::abs(y); }
};

bool is_better(const ShiftCandidate& one, const ShiftCandidate& other) {
  const std::uint64_t rate = one.mismatches * other.compared;
  const std::uint64_t other_rate = other.mismatches * one.compared;
  return std::tuple(rate, one.length(), one.y, one.x) <
         std::tuple(other_rate, other.length(), other.y, other.x);
}

/// A well mixed number.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;  // splitmix64
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
}

std::uint64_t bits_set(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < count; ++w) sum += static_cast<unsigned>(std::popcount(words[w]));
  return sum;
}

/// Counts the bits of pixels [begin, end).
std::uint64_t bits_between(const RowBits& row, int begin, int end) {
  if (begin >= end) return 0;
  const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
  std::uint64_t sum = bits_set(row.data(), last / 64) - bits_set(row.data(), first / 64);
  const auto below = [&row](std::size_t place) {
    const std::uint64_t mask = (std::uint64_t{1} << (place % 64)) - 1;
    return place % 64 == 0 ? 0 : static_cast<unsigned>(std::popcount(row[place / 64] & mask));
  };
  return sum + below(last) - below(first);
}

bool float_differs(float a, float b, Picture::Samples samples, double limit) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return false;
  return !std::isfinite(a) || !std::isfinite(b) || sample_delta(a, b, samples) > limit;
}

class ShiftSearch {
 public:
  ShiftSearch(const Picture& a, const Picture& b, const Tolerance& tolerance)
      : a_(a),
        b_(b),
        limit_(tolerance.max_delta),
        ignored_(
            ignored_pixels(with_fitting_mask(tolerance, a.width, a.height), a.width, a.height)) {}

  std::optional<PictureDifference::Shift> best() {
    const std::vector<PixelAt> sample = edge_sample();
    const std::vector<ShiftCandidate> candidates = rank(sample);
    if (candidates.empty()) return std::nullopt;
    mark_unshifted();
    std::optional<PictureDifference::Shift> best;
    std::uint64_t best_gain = 0;
    int best_length = 0;
    for (const ShiftCandidate& candidate : candidates) {
      const Counts counts = count(candidate);
      if (!explains(counts)) continue;
      const std::uint64_t gain = counts.before - counts.after;
      if (best && std::tuple(best_gain, -best_length) >= std::tuple(gain, -candidate.length()))
        continue;
      best_gain = gain, best_length = candidate.length();
      best = {candidate.x, candidate.y, counts.after,
              a_.pixels() - pixel_count(width_of(candidate.x), height_of(candidate.y))};
    }
    return best;
  }

 private:
  /// Differing pixels with the shift; and without it, among the pixels of both pictures that have
  /// a partner: an edge that the shift pushes out is no gain.
  struct Counts {
    std::uint64_t before = 0, after = 0;
  };

  static bool explains(const Counts& counts) {
    constexpr std::uint64_t kChance = 16;  ///< pixels that noise may happen to match
    return counts.after == 0 ? counts.before > 0
                             : 4 * (counts.after + kChance) <= 3 * counts.before;
  }

  /// Size of the part of `a` with partners, which begins at first_of().
  int width_of(int dx) const {
    return std::max(0, std::min(a_.width, b_.width - dx) - std::max(0, -dx));
  }
  int height_of(int dy) const {
    return std::max(0, std::min(a_.height, b_.height - dy) - std::max(0, -dy));
  }
  static int first_of(int step) { return std::max(0, -step); }

  bool is_ignored(int x, int y) const {
    return ignored_ && x < a_.width && y < a_.height && ignored_->has(x, y);
  }

  bool differs(std::size_t at_a, std::size_t at_b) const {
    for (std::size_t c = 0; c < static_cast<std::size_t>(a_.channels); ++c) {
      if (a_.samples == Picture::Samples::kBytes
              ? std::abs(a_.bytes[at_a + c] - b_.bytes[at_b + c]) > limit_
              : float_differs(a_.floats[at_a + c], b_.floats[at_b + c], a_.samples, limit_))
        return true;
    }
    return false;
  }

  /// Sets the bits of `count` pixels that differ, from these samples on.
  void mark(const Picture& one, std::size_t at, const Picture& other, std::size_t other_at,
            int count, RowBits& bits) const {
    const auto pixels = static_cast<std::size_t>(count);
    const auto channels = static_cast<std::size_t>(one.channels);
    if (one.samples == Picture::Samples::kBytes) {
      const std::uint8_t *const row = &one.bytes[at], *const other_row = &other.bytes[other_at];
      if (std::memcmp(row, other_row, pixels * channels) == 0) return;
      ByteDifferences unused;
      compare_byte_row(row, other_row, pixels, one.channels,
                       static_cast<std::uint8_t>(std::min(limit_, 255.0)), unused, bits.data());
      return;
    }
    for (std::size_t i = 0; i < pixels * channels; ++i)
      if (float_differs(one.floats[at + i], other.floats[other_at + i], one.samples, limit_))
        bits[i / channels / 64] |= std::uint64_t{1} << (i / channels % 64);
  }

  /// Removes pixels of row y from x on, if they or their partners are ignored.
  void remove_ignored(int x, int y, int dx, int dy, RowBits& bits) const {
    if (!ignored_) return;
    for (std::size_t w = 0; w < bits.size(); ++w)
      for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
        const int column = x + static_cast<int>(w) * 64 + std::countr_zero(rest);
        if (is_ignored(column, y) || is_ignored(column + dx, y + dy)) bits[w] &= ~(rest & -rest);
      }
  }

  RowBits empty_row() const { return RowBits((static_cast<std::size_t>(a_.width) + 63) / 64); }

  /// Marks the pixels of `a` that differ from the next one to the right or below.
  RowBits edges_of_row(int y) const {
    RowBits bits = empty_row();
    if (a_.width > 1) mark(a_, a_.sample_at(0, y), a_, a_.sample_at(1, y), a_.width - 1, bits);
    if (y + 1 < a_.height) mark(a_, a_.sample_at(0, y), a_, a_.sample_at(0, y + 1), a_.width, bits);
    remove_ignored(0, y, 0, 0, bits);
    return bits;
  }

  /// Picks pixels at edges, spread evenly over all of them, with a random step against patterns.
  std::vector<PixelAt> edge_sample() const {
    std::vector<std::uint64_t> ends(static_cast<std::size_t>(a_.height));
    tbb::parallel_for(0, a_.height, [&](int y) {
      const RowBits bits = edges_of_row(y);
      ends[static_cast<std::size_t>(y)] = bits_set(bits.data(), bits.size());
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    const std::uint64_t all = ends.back(), picked = std::min<std::uint64_t>(all, kEdgeSamples);
    std::vector<std::uint64_t> numbers(picked);
    for (std::uint64_t k = 0; k < picked; ++k) {
      const std::uint64_t begin = k * all / picked, end = (k + 1) * all / picked;
      numbers[k] = begin + mixed(k) % (end - begin);
    }
    std::vector<PixelAt> sample(picked);
    tbb::parallel_for(0, a_.height, [&](int y) {
      const auto row = static_cast<std::size_t>(y);
      std::uint64_t number = y == 0 ? 0 : ends[row - 1];
      auto next = std::lower_bound(numbers.begin(), numbers.end(), number);
      if (next == numbers.end() || *next >= ends[row]) return;
      const RowBits bits = edges_of_row(y);
      for (std::size_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1, ++number) {
          if (next == numbers.end() || *next != number) continue;
          sample[static_cast<std::size_t>(next++ - numbers.begin())] = {
              static_cast<int>(w) * 64 + std::countr_zero(rest), y};
        }
    });
    return sample;
  }

  /// Returns the candidates that fit the sample best, the best first.
  std::vector<ShiftCandidate> rank(const std::vector<PixelAt>& sample) const {
    constexpr int kSide = 2 * kMaxShift + 1;
    std::vector<ShiftCandidate> all(static_cast<std::size_t>(kSide) * kSide);
    tbb::parallel_for(0, kSide * kSide, [&](int i) {
      ShiftCandidate& candidate = all[static_cast<std::size_t>(i)];
      candidate.x = i % kSide - kMaxShift, candidate.y = i / kSide - kMaxShift;
      for (const PixelAt& pixel : sample) {
        const int x = pixel.x + candidate.x, y = pixel.y + candidate.y;
        if (x < 0 || y < 0 || x >= b_.width || y >= b_.height || is_ignored(x, y)) continue;
        ++candidate.compared;
        if (differs(a_.sample_at(pixel.x, pixel.y), b_.sample_at(x, y))) ++candidate.mismatches;
      }
    });
    std::erase_if(all, [&](const ShiftCandidate& candidate) {
      return candidate.length() == 0 || 2 * candidate.compared < sample.size() ||
             candidate.compared == 0;
    });
    const auto kept = static_cast<std::ptrdiff_t>(std::min(all.size(), kVerified));
    std::partial_sort(all.begin(), all.begin() + kept, all.end(), is_better);
    all.resize(static_cast<std::size_t>(kept));
    return all;
  }

  void mark_unshifted() {
    const int width = width_of(0), height = height_of(0);
    unshifted_.resize(static_cast<std::size_t>(height));
    tbb::parallel_for(0, height, [&](int y) {
      RowBits& bits = unshifted_[static_cast<std::size_t>(y)] = empty_row();
      mark(a_, a_.sample_at(0, y), b_, b_.sample_at(0, y), width, bits);
      remove_ignored(0, y, 0, 0, bits);
    });
  }

  Counts count(const ShiftCandidate& shift) const {
    const int width = width_of(shift.x), height = height_of(shift.y);
    const int x = first_of(shift.x), y = first_of(shift.y);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(height));
    tbb::parallel_for(0, height, [&](int row) {
      RowBits bits = empty_row();
      mark(a_, a_.sample_at(x, y + row), b_, b_.sample_at(x + shift.x, y + row + shift.y), width,
           bits);
      remove_ignored(x, y + row, shift.x, shift.y, bits);
      sums[static_cast<std::size_t>(row)] = bits_set(bits.data(), bits.size());
    });
    Counts counts;
    counts.after = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
    const int margin = std::abs(shift.x), rows = height_of(0) - std::abs(shift.y);
    for (int row = std::abs(shift.y); row < rows; ++row)
      counts.before +=
          bits_between(unshifted_[static_cast<std::size_t>(row)], margin, width_of(0) - margin);
    return counts;
  }

  const Picture &a_, &b_;
  double limit_;
  std::optional<PixelSet> ignored_;
  std::vector<RowBits> unshifted_;  ///< differing pixels of each row of the overlap
};

}  // namespace

std::optional<PictureDifference::Shift> find_shift(const Picture& a, const Picture& b,
                                                   const Tolerance& tolerance) {
  return ShiftSearch(a, b, tolerance).best();
}

}  // namespace roundel
