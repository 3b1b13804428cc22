// The module roundel_webp: WebP files, decoded by libwebp.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/module.h"
#include "renderer/image/photo.h"

namespace roundel {
namespace {

[[noreturn]] void fail(const std::string& path, const char* problem) {
  throw Error(ExitCode::kInvalidScene, path + ": not a sound WebP: " + problem);
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
                                                  std::span<const std::byte> file,
                                                  PhotoPixels& photo) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
  const std::unique_ptr<WebPDemuxer, void (*)(WebPDemuxer*)> container(WebPDemux(&data),
                                                                       WebPDemuxDelete);
  WebPBitstreamFeatures features{};
  if (!container || WebPGetFeatures(data.bytes, data.size, &features) != VP8_STATUS_OK)
    fail(path, "it is damaged or cut off");
  if (features.has_animation != 0) fail(path, "expected one picture, got an animation");
  photo.width = features.width, photo.height = features.height;
  photo.channels = features.has_alpha != 0 ? 4 : 3;
  const int row_bytes = photo.width * photo.channels;
  const std::size_t size =
      static_cast<std::size_t>(row_bytes) * static_cast<std::size_t>(photo.height);
  check_fits_memory(path, "pixels", 2 * size);  // libwebp may have a copy
  photo.bytes = Buffer<std::uint8_t>(size);
  const auto decode = photo.channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (decode(data.bytes, data.size, photo.bytes.data(), size, row_bytes) == nullptr)
    fail(path, "the pixels are damaged or cut off");
  photo.profile = chunk(container.get(), "ICCP");
  photo.exif = chunk(container.get(), "EXIF");
}

}  // namespace roundel
