#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/explain/explain_difference.h"

namespace roundel {

/// Effect of a change, summed over pixels and channels.
struct ChangeEffect {
  double amount = 0;
  std::uint64_t pixels = 0;  ///< with an effect

  void add(const ChangeEffect& other) {
    amount += other.amount;
    pixels += other.pixels;
  }
};

/// Effects of each change on the pixels (row · width + x), and last of a changed background:
/// [changes.size() + 1]. See explain_difference. The sums do not depend on the number of threads.
std::vector<ChangeEffect> sum_effects(const DrawnFrame& a, const DrawnFrame& b,
                                      std::span<const CircleChange> changes,
                                      std::span<const std::uint32_t> pixels,
                                      std::uint64_t list_budget);

}  // namespace roundel
