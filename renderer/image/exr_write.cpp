#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfRgba.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

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

Imf::Compression compression_of(ExrCompression compression) {
  switch (compression) {
    case ExrCompression::kNone:
      return Imf::NO_COMPRESSION;
    case ExrCompression::kRle:
      return Imf::RLE_COMPRESSION;
    case ExrCompression::kZips:
      return Imf::ZIPS_COMPRESSION;
    case ExrCompression::kPiz:
      return Imf::PIZ_COMPRESSION;
    case ExrCompression::kZip:
      break;
  }
  return Imf::ZIP_COMPRESSION;
}

/// Throws Error(kInvalidScene) for a finite value that would become infinite.
void round_to_halves(const Pixel* row, int width, int channels, std::vector<half>& halves) {
  half* out = halves.data();
  for (int x = 0; x < width; ++x) {
    const float values[] = {row[x].red, row[x].green, row[x].blue, row[x].alpha};
    for (int c = 0; c < channels; ++c, ++out) {
      *out = half(values[c]);
      if (out->isInfinity() && std::isfinite(values[c]))
        throw Error(
            ExitCode::kInvalidScene,
            fmt::format("{} is beyond the range of half floats, 65504; leave out --exr half",
                        values[c]));
    }
  }
}

}  // namespace

std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata, ExrStorage storage,
                                     const std::function<void(int row)>& row_done) {
  try {
    Imf::Header header(framebuffer.width, framebuffer.height);
    header.compression() = compression_of(storage.compression);
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
      header.channels().insert(names[c], Imf::Channel(storage.is_half ? Imf::HALF : Imf::FLOAT));
    }

    constexpr std::size_t kHeader = 65536;
    const auto height = static_cast<std::size_t>(framebuffer.height);
    const std::size_t row_values =
        static_cast<std::size_t>(framebuffer.width) * static_cast<std::size_t>(channels);
    const std::size_t row_bytes = row_values * (storage.is_half ? sizeof(half) : sizeof(float));
    MemoryStream stream(kHeader + height * (row_bytes + 2 * sizeof(std::uint64_t)));
    std::vector<half> halves(storage.is_half ? row_values : 0);
    {
      Imf::OutputFile file(stream, header, /*numThreads=*/0);
      // EXR's rows go down, ours go up, and OpenEXR supports only positive strides: writes row by
      // row, each with a stride of 0.
      for (int y = 0; y < framebuffer.height; ++y) {
        const Pixel* row =
            framebuffer.pixels.data() + static_cast<std::size_t>(framebuffer.height - 1 - y) *
                                            static_cast<std::size_t>(framebuffer.width);
        char* base = reinterpret_cast<char*>(const_cast<Pixel*>(row));
        if (storage.is_half) {
          round_to_halves(row, framebuffer.width, channels, halves);
          base = reinterpret_cast<char*>(halves.data());
        }
        Imf::FrameBuffer slices;
        for (int c = 0; c < channels; ++c) {
          const auto channel = static_cast<std::size_t>(c);
          slices.insert(
              names[c],
              storage.is_half
                  ? Imf::Slice(Imf::HALF, base + channel * sizeof(half),
                               static_cast<std::size_t>(channels) * sizeof(half), 0)
                  : Imf::Slice(Imf::FLOAT, base + channel * sizeof(float), sizeof(Pixel), 0));
        }
        file.setFrameBuffer(slices);
        file.writePixels(1);
        row_done(framebuffer.height - 1 - y);
      }
    }  // the destructor writes the table of line offsets
    return stream.take();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ExitCode::kRuntimeFailure, std::string("cannot encode EXR: ") + error.what());
  }
}

}  // namespace roundel::openexr

ROUNDEL_MODULE_FUNCTION roundel::ExrFunctions roundel_exr_functions() {
  using namespace roundel::openexr;
  return {encode_exr, decode_exr, read_exr_info};
}
