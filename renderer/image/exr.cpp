#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/image/files.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

/// A file in memory. OpenEXR goes back at the end to fill in its table of line offsets.
class MemoryStream : public Imf::OStream {
 public:
  MemoryStream() : Imf::OStream("memory") {}
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

std::optional<std::string> string_attribute(const Imf::Header& header, const char* name) {
  const auto* attribute = header.findTypedAttribute<Imf::StringAttribute>(name);
  if (attribute == nullptr) return std::nullopt;
  return attribute->value();
}

template <typename T>
bool read_number(const std::optional<std::string>& text, T& value) {
  if (!text) return false;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size();
}

std::optional<ImageMetadata> metadata_of(const Imf::Header& header) {
  const auto software = string_attribute(header, "software");
  const auto fingerprint = string_attribute(header, "fingerprint");
  ImageMetadata metadata;
  if (!software || !fingerprint || !read_number(string_attribute(header, "seed"), metadata.seed) ||
      !read_number(string_attribute(header, "frame"), metadata.frame)) {
    return std::nullopt;
  }
  metadata.software = *software;
  metadata.fingerprint = *fingerprint;
  return metadata;
}

/// Reads every row of an EXR, one at a time, and throws the pixels away.
void check_pixels(Imf::InputFile& file) {
  const Imath::Box2i window = file.header().dataWindow();
  const std::int64_t width = std::int64_t{window.max.x} - window.min.x + 1;
  const std::int64_t height = std::int64_t{window.max.y} - window.min.y + 1;
  if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide) {
    throw std::runtime_error("its size is out of range");
  }
  std::vector<float> row(static_cast<std::size_t>(width));
  // The address of the pixel with x = 0, which need not be in the row.
  char* const base = reinterpret_cast<char*>(row.data()) -
                     std::ptrdiff_t{window.min.x} * static_cast<std::ptrdiff_t>(sizeof(float));
  Imf::FrameBuffer slices;
  const Imf::ChannelList& channels = file.header().channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    slices.insert(channel.name(), Imf::Slice(Imf::FLOAT, base, sizeof(float), 0));
  }
  file.setFrameBuffer(slices);
  for (int y = window.min.y; y <= window.max.y; ++y) file.readPixels(y);
}

}  // namespace

std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha,
                                     const ImageMetadata& metadata) {
  try {
    Imf::Header header(framebuffer.width, framebuffer.height);
    header.compression() = Imf::ZIP_COMPRESSION;
    header.insert("software", Imf::StringAttribute(metadata.software));
    header.insert("fingerprint", Imf::StringAttribute(metadata.fingerprint));
    header.insert("seed", Imf::StringAttribute(std::to_string(metadata.seed)));
    header.insert("frame", Imf::StringAttribute(std::to_string(metadata.frame)));
    const int channels = alpha ? 4 : 3;
    const char* const names[] = {"R", "G", "B", "A"};
    for (int c = 0; c < channels; ++c) {
      header.channels().insert(names[c], Imf::Channel(Imf::FLOAT));
    }

    MemoryStream stream;
    {
      Imf::OutputFile file(stream, header, /*numThreads=*/0);
      // EXR's rows go down, ours go up, and OpenEXR takes no negative stride: so row by row, each
      // with a stride of 0 from row to row.
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
      }
    }  // the destructor writes the table of line offsets
    return stream.take();
  } catch (const std::exception& error) {
    throw Error(ExitCode::kRuntimeFailure, std::string("cannot encode EXR: ") + error.what());
  }
}

std::optional<ImageMetadata> read_exr_metadata(const std::string& path) {
  const InputFile exists(path);  // its errors say more than OpenEXR's
  try {
    Imf::InputFile file(path.c_str(), /*numThreads=*/0);
    check_pixels(file);
    return metadata_of(file.header());
  } catch (const std::exception& error) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: not a sound EXR: {}", path, error.what()));
  }
}

}  // namespace roundel
