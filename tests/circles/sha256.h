#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace roundel {

/// Returns SHA-256 (FIPS 180-4) as 64 lower-case hex digits.
std::string sha256(std::span<const std::byte> bytes);

template <typename T>
std::string sha256_of(std::span<const T> values) {
  return sha256(std::as_bytes(values));
}

}  // namespace roundel
