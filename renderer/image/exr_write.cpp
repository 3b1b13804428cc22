#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <cstring>
#include <functional>

#include "renderer/base/error.h"
#include "renderer/base/module.h"
#include "renderer/image/exr_module.h"
#include "renderer/image/metadata_text.h"

namespace roundel::openexr {
namespace {

/// OpenEXR seeks back at the end to write its table of line offsets.
class MemoryStream : public Imf::OStream {
 public:
  /// `expected_size` is reserved, so that growing does not copy.
  explicit MemoryStream(std::size_t expected_size) : Imf::OStream("memory") {
    bytes_.reserve(expected_size);
  }
  void write(const char* data, int size) override {
    const std::size_t end = position_ + static_cast<std::size_t>(size);
    if (end > bytes_.size()) bytes_.resize(end);
    std::memcpy(bytes_.data() + position_, data, static_cast<std::size_t>(size));
    position_ = end;
  }
  std::uint64_t tellp() override { return position_; }
  void seekp(std::uint64_t position) override { position_ = position; }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata,
                                     const std::function<void(int row)>& row_done) {
  try {
    Imf::Header header(framebuffer.width, framebuffer.height);
    header.compression() = Imf::ZIP_COMPRESSION;
    for (const auto& [keyword, text] : metadata_texts(metadata))
      header.insert(attribute_name(keyword), Imf::StringAttribute(text));
    if (values != ExrValues::kData) Imf::addChromaticities(header, Imf::Chromaticities());  // 709's
    header.insert(kExrValuesAttribute,
                  Imf::StringAttribute(values == ExrValues::kLinear    ? "lin_rec709_scene"
                                       : values == ExrValues::kDisplay ? "srgb_rec709_scene"
                                                                       : "data"));
    const int channels = alpha ? 4 : 3;
    const char* const names[] = {"R", "G", "B", "A"};
    for (int c = 0; c < channels; ++c) {
      header.channels().insert(names[c], Imf::Channel(Imf::FLOAT));
    }

    constexpr std::size_t kHeader = 65536;
    const auto height = static_cast<std::size_t>(framebuffer.height);
    const std::size_t row_bytes = static_cast<std::size_t>(framebuffer.width) *
                                  static_cast<std::size_t>(channels) * sizeof(float);
    MemoryStream stream(kHeader + height * (row_bytes + sizeof(std::uint64_t)));
    {
      Imf::OutputFile file(stream, header, /*numThreads=*/0);
      // EXR's rows go down, ours go up, and OpenEXR supports only positive strides: writes row by
      // row, each with a stride of 0.
      for (int y = 0; y < framebuffer.height; ++y) {
        const Pixel* row =
            framebuffer.pixels.data() + static_cast<std::size_t>(framebuffer.height - 1 - y) *
                                            static_cast<std::size_t>(framebuffer.width);
        char* base = reinterpret_cast<char*>(const_cast<Pixel*>(row));
        Imf::FrameBuffer slices;
        for (int c = 0; c < channels; ++c) {
          slices.insert(names[c],
                        Imf::Slice(Imf::FLOAT, base + static_cast<std::size_t>(c) * sizeof(float),
                                   sizeof(Pixel), 0));
        }
        file.setFrameBuffer(slices);
        file.writePixels(1);
        row_done(framebuffer.height - 1 - y);
      }
    }  // the destructor writes the table of line offsets
    return stream.take();
  } catch (const std::exception& error) {
    throw Error(ExitCode::kRuntimeFailure, std::string("cannot encode EXR: ") + error.what());
  }
}

}  // namespace roundel::openexr

ROUNDEL_MODULE_FUNCTION roundel::ExrFunctions roundel_exr_functions() {
  using namespace roundel::openexr;
  return {encode_exr, decode_exr, read_exr_info};
}
