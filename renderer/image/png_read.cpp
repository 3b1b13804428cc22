#include "renderer/base/input_file.h"
#include "renderer/image/files.h"
#include "renderer/image/png_decoder.h"

namespace roundel {

PngInfo read_png_info(const std::string& path) {
  const Buffer<std::byte> file = InputFile(path).read_all();
  PngDecoder decoder(path, file.span());
  decoder.check_pixels();
  PngInfo info;
  info.width = static_cast<int>(decoder.header().width);
  info.height = static_cast<int>(decoder.header().height);
  info.bit_depth = decoder.header().bit_depth;
  info.channels = decoder.file_channels();
  info.text = decoder.text();
  info.metadata = decoder.metadata();
  return info;
}

Image read_png(const std::string& path) {
  const Buffer<std::byte> file = InputFile(path).read_all();
  PngDecoder decoder(path, file.span());
  if (decoder.header().bit_depth != 8 || decoder.file_channels() < 3) {
    decoder.fail("expected 8-bit RGB or RGBA");
  }
  PngDecoder::Pixels pixels = decoder.decode();
  Image image;
  image.width = static_cast<int>(decoder.header().width);
  image.height = static_cast<int>(decoder.header().height);
  image.channels = pixels.channels;
  image.bytes = std::move(pixels.data);
  return image;
}

}  // namespace roundel
