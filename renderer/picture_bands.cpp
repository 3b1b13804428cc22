#include "renderer/picture_bands.h"

#include <algorithm>

#include "renderer/image/png_format.h"

namespace roundel {

int rows_of_band(const ImageSettings& image, ImageFormat format) {
  const PngShape shape{image.width, image.height, image.channels(), image.bits};
  if (format != ImageFormat::kPng || shape.filtered_bytes() <= png_format::kMaxIdatBytes)
    return image.height;
  return static_cast<int>(png_format::block_rows(shape.row_bytes() + 1));
}

ImageSettings band_of(const ImageSettings& image, int top, int rows) {
  ImageSettings band = image;
  band.height = std::min(rows, image.height - top);
  band.crop = CropOrigin{image.frame_width(), image.frame_height(), image.first_column(),
                         image.first_row() + image.height - top - band.height};
  return band;
}

}  // namespace roundel
