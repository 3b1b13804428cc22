#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel::primitives {

/// Times of a variant.
struct Timing {
  double median_ms = 0, least_ms = 0;
  int repeats = 0;
};

/// Times `work` at least 3 times, and up to `most` times until a fifth of a second is over. The
/// first run is not counted.
Timing time_on_cpu(int most, const std::function<void()>& work);

/// Like time_on_cpu(), for work that returns its own milliseconds.
Timing time_repeatedly(int most, const std::function<double()>& work);

/// One way to compute a primitive: a row of its table for each size.
struct Variant {
  std::string name;  ///< "CPU, one thread"
  /// Computes the primitive for the first n elements of its input and times that, `repeats` times
  /// at most. A variant on a device copies its result back for is_right(), outside of the timed
  /// part.
  std::function<Timing(std::uint64_t n, int repeats)> run;
  bool is_on_device = false;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< maximal number of elements
};

/// A primitive with input and output for up to `largest` elements.
class Primitive {
 public:
  virtual ~Primitive() = default;

  virtual std::string name() const = 0;
  /// Description in one line.
  virtual std::string text() const = 0;
  virtual std::vector<Variant> variants() = 0;
  /// Bytes that must be read and written for the last result.
  virtual double bytes(std::uint64_t n) const = 0;
  /// Returns true if the result of the last run is right, decided element by element without any of
  /// the variants.
  virtual bool is_right(std::uint64_t n) const = 0;
  /// Keeps the next run from using the last one's result.
  virtual void spoil(std::uint64_t n) = 0;
};

std::unique_ptr<Primitive> make_saxpy(std::uint64_t largest);
std::unique_ptr<Primitive> make_scan(std::uint64_t largest);
std::unique_ptr<Primitive> make_compaction(std::uint64_t largest);
std::unique_ptr<Primitive> make_selection(std::uint64_t largest);
std::unique_ptr<Primitive> make_find_repeats(std::uint64_t largest);

/// Maximal bytes of memory that any of them takes for an element.
inline constexpr std::uint64_t kBytesPerElement = 16;

/// Returns pseudo-random values, the same on every machine: element i of a stream (SplitMix64,
/// Steele, Lea and Flood 2014).
inline std::uint64_t random_bits(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace roundel::primitives
