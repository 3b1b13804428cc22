#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"

namespace roundel {

/// Four 32-bit words: a counter or a block of random words.
struct PhiloxBlock {
  std::uint32_t words[4];
};

/// Philox 4x32-10, the counter-based generator of Random123 and cuRAND (Salmon, Moraes, Dror, Shaw:
/// Parallel Random Numbers: As Easy as 1, 2, 3, 2011).
ROUNDEL_HOST_DEVICE inline PhiloxBlock philox(PhiloxBlock counter, std::uint32_t key0,
                                              std::uint32_t key1) {
  std::uint32_t c0 = counter.words[0], c1 = counter.words[1];
  std::uint32_t c2 = counter.words[2], c3 = counter.words[3];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ key0;
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ key1;
    c3 = static_cast<std::uint32_t>(product0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace roundel
