#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/circles/circle.h"

namespace roundel {

/// Circles in memory, of which only the numbers that differ between them take some.
class PackedCircles {
 public:
  /// What need not be the same for all, beside their places.
  struct Varying {
    bool depth, radius, color, alpha;
  };
  static std::uint64_t bytes_of_circle(const Varying& varying) {
    return fields_of(varying).size() * sizeof(float);
  }

  PackedCircles() = default;
  PackedCircles(std::size_t count, const Varying& varying)
      : fields_(fields_of(varying)), numbers_(count * fields_.size()) {}

  bool empty() const { return numbers_.empty(); }
  /// From many threads, each circle once.
  void put(std::size_t place, const Shape& shape, const Paint& paint);
  /// Circles `first` and following, when all have been put.
  void get(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;

 private:
  static constexpr std::size_t kFields = 8;
  using Fields = std::array<float, kFields>;  ///< of a Shape and a Paint
  static std::vector<std::uint8_t> fields_of(const Varying& varying);

  std::vector<std::uint8_t> fields_;  ///< that vary
  Buffer<float> numbers_;             ///< [count][fields_.size()]
  Fields first_{};                    ///< those of the first circle
};

}  // namespace roundel
