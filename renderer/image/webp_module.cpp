// The module roundel_webp: WebP files, decoded by libwebp.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <new>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/module.h"
#include "renderer/image/photo.h"

namespace roundel {
namespace {

[[noreturn]] void fail(const std::string& path, const char* problem) {
  throw Error(ExitCode::kInvalidScene, path + problem);
}

/// photo.bytes has the right size.
void decode_pixels(const std::string& path, const WebPData& data, PhotoPixels& photo) {
  WebPDecoderConfig config;
  WebPInitDecoderConfig(&config);
  config.output.colorspace = photo.channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {photo.bytes.data(), photo.width * photo.channels, photo.bytes.size()};
  const VP8StatusCode status = WebPDecode(data.bytes, data.size, &config);
  WebPFreeDecBuffer(&config.output);
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != VP8_STATUS_OK) fail(path, ": not a valid WebP: the pixels are damaged or cut off");
}

std::vector<std::uint8_t> chunk(const WebPDemuxer* container, const char* name) {
  WebPChunkIterator found{};
  if (WebPDemuxGetChunk(container, name, 1, &found) == 0) return {};
  std::vector<std::uint8_t> bytes(found.chunk.bytes, found.chunk.bytes + found.chunk.size);
  WebPDemuxReleaseChunkIterator(&found);
  return bytes;
}

}  // namespace

ROUNDEL_MODULE_FUNCTION void roundel_decode_photo(const std::string& path,
                                                  std::span<const std::byte> file, DecodedPart part,
                                                  PhotoPixels& photo) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
  const std::unique_ptr<WebPDemuxer, void (*)(WebPDemuxer*)> container(WebPDemux(&data),
                                                                       WebPDemuxDelete);
  WebPBitstreamFeatures features{};
  if (!container || WebPGetFeatures(data.bytes, data.size, &features) != VP8_STATUS_OK)
    fail(path, ": not a valid WebP: it is damaged or cut off");
  if (features.has_animation != 0)
    fail(path, ": is not supported: an animation; save one frame as its own file");
  photo.width = features.width, photo.height = features.height;
  photo.channels = features.has_alpha != 0 ? 4 : 3;
  const std::size_t size =
      pixel_count(photo.width, photo.height) * static_cast<std::size_t>(photo.channels);
  check_fits_memory(path, "pixels", 2 * size);  // libwebp may have a copy
  if (part == DecodedPart::kAll) {
    photo.bytes = Buffer<std::uint8_t>(size);
    decode_pixels(path, data, photo);
  }
  photo.profile = chunk(container.get(), "ICCP");
  photo.exif = chunk(container.get(), "EXIF");
}

}  // namespace roundel
