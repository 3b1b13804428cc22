#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace roundel {

/// The stream of glibc's random() after srandom(seed) (TYPE_3: r[i] = r[i−3] + r[i−31] mod 2³²,
/// 31-bit outputs r[i] >> 1) on all platforms, with fast jumps ahead for threads.
class GlibcRandom {
 public:
  /// The seed is taken as int32; 0 means 1.
  explicit GlibcRandom(std::uint32_t seed) {
    constexpr std::int64_t kModulus = 2147483647;
    std::array<std::uint32_t, 34> start{};
    start[0] = seed == 0 ? 1 : seed;
    for (std::size_t i = 1; i < 31; ++i) {
      const std::int64_t word =
          16807 * static_cast<std::int64_t>(static_cast<std::int32_t>(start[i - 1])) % kModulus;
      start[i] = static_cast<std::uint32_t>(word < 0 ? word + kModulus : word);
    }
    std::copy_n(start.begin(), 3, start.begin() + 31);
    std::copy_n(start.begin() + 3, kDegree, state_.begin());
    skip(310);  // r[34..343] are discarded
  }

  /// Takes O(log count): the later state combines states with the coefficients (mod 2³²) of x^count
  /// mod x³¹ − x²⁸ − 1.
  void skip(std::uint64_t count) {
    // x^count by squaring, from the highest four bits of count, whose power is below the degree.
    int bit = std::max(static_cast<int>(std::bit_width(count)) - 4, 0);
    Polynomial power{};
    power[count >> bit] = 1;
    while (--bit >= 0) {
      power = square(power);
      if ((count >> bit & 1) != 0) power = times_x(power);
    }
    std::array<std::uint32_t, 2 * kDegree> words{};
    std::copy(state_.begin(), state_.end(), words.begin());
    extend(words.data(), kDegree);
    for (std::size_t j = 0; j < kDegree; ++j) {
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < kDegree; ++k) sum += power[k] * words[j + k];
      state_[j] = sum;
    }
  }

  /// Calls use(words, size) for portions of the next `count` outputs: output i is words[i] >> 1.
  template <typename Use>
  void take(std::size_t count, const Use& use) {
    constexpr std::size_t kPortion = 1023;                // words made at once: fits in L1
    std::array<std::uint32_t, kDegree + kPortion> words;  // NOLINT: written before it is read
    std::copy(state_.begin(), state_.end(), words.begin());
    while (count > 0) {
      const std::size_t size = std::min(count, kPortion);
      extend(words.data(), size);
      use(words.data() + kDegree, size);
      std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(size), kDegree, words.begin());
      count -= size;
    }
    std::copy_n(words.begin(), kDegree, state_.begin());
  }

  /// The next `count` draws, to_unit() of the outputs.
  void draw(float* u, std::size_t count) {
    take(count, [&u](const std::uint32_t* words, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) u[i] = to_unit(words[i] >> 1);
      u += size;
    });
  }

  /// float(output) / 2³¹, in [0, 1]. Multiplying by 2⁻³¹ is exact, too.
  static float to_unit(std::uint32_t output) {
    return static_cast<float>(static_cast<std::int32_t>(output)) * (1.0f / 2147483648.0f);
  }

  /// The next 31-bit output.
  std::uint32_t next() {
    std::array<std::uint32_t, kDegree + 1> words{};
    std::copy(state_.begin(), state_.end(), words.begin());
    extend(words.data(), 1);
    std::copy_n(words.begin() + 1, kDegree, state_.begin());
    return words[kDegree] >> 1;
  }

  /// The next draw, in [0, 1].
  float uniform() {
    float u = 0;
    draw(&u, 1);
    return u;
  }

 private:
  static constexpr std::size_t kDegree = 31;
  using Polynomial = std::array<std::uint32_t, kDegree>;  ///< coefficient of x^k at [k]

  /// words[31..31 + count) from words[0..31); three independent sums stay in registers.
  static void extend(std::uint32_t* words, std::size_t count) {
    std::uint32_t a = words[28], b = words[29], c = words[30];
    const std::size_t threes = count / 3;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < threes; ++k, words += 3) {
      words[31] = a += words[0];
      words[32] = b += words[1];
      words[33] = c += words[2];
    }
    for (std::size_t i = 0; i < count % 3; ++i) words[31 + i] = words[28 + i] + words[i];
  }

  static Polynomial square(const Polynomial& p) {
    std::array<std::uint32_t, 2 * kDegree - 1> product{};
    for (std::size_t i = 0; i < kDegree; ++i) {  // pairs of different terms, doubled
      const std::uint32_t twice = 2 * p[i];
      for (std::size_t k = i + 1; k < kDegree; ++k) product[i + k] += twice * p[k];
    }
    for (std::size_t i = 0; i < kDegree; ++i) product[2 * i] += p[i] * p[i];
    for (std::size_t d = 2 * kDegree - 2; d >= kDegree; --d) {  // x^d = x^(d−3) + x^(d−31)
      product[d - 3] += product[d];
      product[d - kDegree] += product[d];
    }
    Polynomial result;
    std::copy_n(product.begin(), kDegree, result.begin());
    return result;
  }

  static Polynomial times_x(const Polynomial& p) {
    Polynomial result;
    std::copy_n(p.begin(), kDegree - 1, result.begin() + 1);
    result[0] = p[kDegree - 1];
    result[28] += p[kDegree - 1];
    return result;
  }

  std::array<std::uint32_t, kDegree> state_;  ///< the 31 words before the next output's
};

}  // namespace roundel
