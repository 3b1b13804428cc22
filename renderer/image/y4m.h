#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/pixels/image.h"

namespace roundel {

enum class YuvFormat {
  k420,    ///< 8 bits, a chroma sample per 2x2 pixels
  k444,    ///< 8 bits, a chroma sample per pixel
  k420p10  ///< 10 bits in words, low byte first
};
/// Bits of the source pictures' samples: 8 or 16.
constexpr int source_bits(YuvFormat format) {
  return format == YuvFormat::k420p10 ? 16 : 8;
}

/// Frames in some seconds: a rate as a fraction.
struct FrameRate {
  std::int64_t frames, seconds;
};
/// Returns the nearest 32-bit fraction of `fps` > 0, but NTSC's n/1001 for 23.976, 29.97, 59.94 and
/// 119.88; for every `step`-th frame.
FrameRate frame_rate(double fps, std::int64_t step = 1);

/// The line before the first frame of a YUV4MPEG2 stream: progressive, square pixels, limited
/// range.
std::string y4m_header(int width, int height, FrameRate rate, YuvFormat format = YuvFormat::k420);

/// Encodes a frame: "FRAME\n" and the planes Y, Cb, Cr of an RGB image, by ITU-R BT.709 in limited
/// range, rounded to nearest in integers. Chroma of 4:2:0 is from the mean of 2x2 pixels (fewer at
/// odd edges).
std::vector<std::uint8_t> encode_y4m_frame(const Image& image, YuvFormat format = YuvFormat::k420);

}  // namespace roundel
