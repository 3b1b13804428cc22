#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/pixels/image.h"

namespace roundel {

enum class YuvFormat {
  k420,    ///< 8 bits, a chroma sample for 2x2 pixels
  k444,    ///< 8 bits, one for each
  k420p10  ///< 10 bits in words, the low byte first
};
/// Of the samples of the pictures that it is made of: 8, or 16.
constexpr int source_bits(YuvFormat format) {
  return format == YuvFormat::k420p10 ? 16 : 8;
}

/// The line before the first frame of a YUV4MPEG2 stream: progressive, square pixels, limited
/// range. `fps` > 0, as the fraction of 32 bits that is this number, or the nearest one; of a film
/// of which each `step`-th frame is in the stream.
std::string y4m_header(int width, int height, double fps, YuvFormat format = YuvFormat::k420,
                       std::int64_t step = 1);

/// One frame of it: "FRAME\n" and the planes Y, Cb, Cr of an RGB image, after ITU-R BT.709 in
/// limited range, rounded to nearest in integers. Chroma of 4:2:0 is that of the mean of 2x2 pixels
/// (of fewer at odd edges).
std::vector<std::uint8_t> encode_y4m_frame(const Image& image, YuvFormat format = YuvFormat::k420);

}  // namespace roundel
