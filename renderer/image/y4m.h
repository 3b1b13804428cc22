#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/pixels/image.h"

namespace roundel {

/// The line before the first frame of a YUV4MPEG2 stream: 4:2:0, progressive, square pixels,
/// limited range. `fps` > 0, to a thousandth.
std::string y4m_header(int width, int height, double fps);

/// One frame of it: "FRAME\n" and the planes Y, Cb, Cr of an RGB image, after ITU-R BT.709 in
/// limited range, rounded to nearest in integers. Chroma is that of the mean of 2x2 pixels (of
/// fewer at odd edges).
std::vector<std::uint8_t> encode_y4m_frame(const Image& image);

}  // namespace roundel
