#pragma once
#include <cstdint>

#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// How two pictures differ, by their bits: 0 and −0 differ, and a NaN is the same as another only
/// with the same bits.
struct Difference {
  bool size = false;         ///< or channels or bits differ; the rest is then not filled in
  std::uint64_t pixels = 0;  ///< pixels with a differing channel
  int x = 0, y = 0;          ///< the first of them; y counted as the pictures' own rows are
  int channel = 0;           ///< its first differing channel, 0..3
  /// Largest |a − b| of a channel: a value of the pixels, or of the samples, 0..255 or 0..65535.
  /// Infinite where only one is NaN or infinite; 0 where two values differ in their bits alone.
  double largest = 0;

  bool same() const { return !size && pixels == 0; }
};

Difference compare(const Framebuffer& a, const Framebuffer& b);
Difference compare(const Image& a, const Image& b);

}  // namespace roundel
