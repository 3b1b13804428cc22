#pragma once
#include "renderer/image/files.h"
#include "renderer/pixels/image_settings.h"

/// Pictures that do not fit in memory: a PNG over 2 GB is drawn, encoded and written in bands of
/// rows. Each band is a block of the file (image/png_format.h).
namespace roundel {

/// Returns the rows of a band; for other pictures, all rows.
int rows_of_band(const ImageSettings& image, ImageFormat format);
inline bool is_drawn_in_bands(const ImageSettings& image, ImageFormat format) {
  return rows_of_band(image, format) < image.height;
}

/// Returns the part of the image with `rows` rows from `top` on, counted from the top. Its pixels
/// stay the same.
ImageSettings band_of(const ImageSettings& image, int top, int rows);

}  // namespace roundel
