#pragma once
#include <cstdint>

#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// A difference in bits: 0 and −0 differ, and NaNs are equal only with equal bits.
struct Difference {
  bool size = false;  ///< or channels or bits; the other fields are then unset
  std::uint64_t pixels = 0;
  int x = 0, y = 0;  ///< first differing pixel; y counts rows as the pictures do
  int channel = 0;   ///< its first differing channel, 0..3
  /// Largest |a − b| of pixel values or of samples 0..255 or 0..65535. Infinite if only one is NaN
  /// or infinite; 0 if only the bits differ.
  double largest = 0;

  bool same() const { return !size && pixels == 0; }
};

Difference compare(const Framebuffer& a, const Framebuffer& b);
Difference compare(const Image& a, const Image& b);

}  // namespace roundel
