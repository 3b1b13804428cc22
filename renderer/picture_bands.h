#pragma once
#include "renderer/image/files.h"
#include "renderer/pixels/image_settings.h"

/// Pictures that do not fit in memory: a PNG over 2 GB is drawn, encoded and written a band of rows
/// after the other, each of which is a block of the file (image/png_format.h).
namespace roundel {

/// Rows of such a band; all rows of other pictures.
int rows_of_band(const ImageSettings& image, ImageFormat format);
inline bool is_drawn_in_bands(const ImageSettings& image, ImageFormat format) {
  return rows_of_band(image, format) < image.height;
}

/// The image's rows from `top` on, counted from the top, as a part of it: the same pixels.
ImageSettings band_of(const ImageSettings& image, int top, int rows);

}  // namespace roundel
