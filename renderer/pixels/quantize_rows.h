#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"

/// Pixels whose samples are made of a framebuffer, not by the backends: those of 16 bits, and
/// dithered ones.
namespace roundel {

/// ⌊clamp(c, 0, 1)·65535 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
std::uint16_t quantize_word(float c);

/// ⌊clamp(c, 0, 1)·255 + t⌋, exactly, as quantize(), but that t is the pixel's of an ordered dither
/// (Bayer 1973) of 64x64 pixels, (2k + 1)/8192 for k = 0..4095, instead of ½. Whole levels stay as
/// they are. x and y count from the whole picture's upper left pixel.
std::uint8_t quantize_dithered(float c, std::size_t x, std::size_t y);

/// The `settings.channels()` samples of the picture's pixel in column x and row y from the upper
/// left, of settings.bits, dithered where the settings ask for it and bits are 8: a part of a
/// picture as the whole is.
void quantize_pixel(const Pixel& pixel, const ImageSettings& settings, std::size_t x, std::size_t y,
                    std::uint32_t* samples);
/// `count` rows of the framebuffer, from row `first` counted from the top on, as an Image of
/// settings.bits has them. By all threads.
void quantize_rows(const Framebuffer& framebuffer, const ImageSettings& settings, std::size_t first,
                   std::size_t count, std::uint8_t* out);
/// All of them.
Image quantized(const Framebuffer& framebuffer, const ImageSettings& settings);

}  // namespace roundel
