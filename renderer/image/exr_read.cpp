#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/memory.h"
#include "renderer/image/exr_module.h"
#include "renderer/image/metadata_text.h"
#include "renderer/pixels/image_settings.h"

namespace roundel::openexr {
namespace {

class MemoryInput : public Imf::IStream {
 public:
  explicit MemoryInput(std::span<const std::byte> file) : Imf::IStream("memory"), file_(file) {}
  bool isMemoryMapped() const override { return true; }
  char* readMemoryMapped(int size) override {
    return const_cast<char*>(reinterpret_cast<const char*>(take(size)));
  }
  bool read(char* out, int size) override {
    std::memcpy(out, take(size), static_cast<std::size_t>(size));
    return position_ < file_.size();
  }
  std::uint64_t tellg() override { return position_; }
  void seekg(std::uint64_t position) override { position_ = position; }

 private:
  const std::byte* take(int size) {
    const auto bytes = static_cast<std::size_t>(size);
    if (size < 0 || position_ > file_.size() || bytes > file_.size() - position_) {
      throw std::runtime_error("it is cut off");
    }
    position_ += bytes;
    return file_.data() + position_ - bytes;
  }

  std::span<const std::byte> file_;
  std::uint64_t position_ = 0;
};

std::optional<ImageMetadata> metadata_of(const Imf::Header& header) {
  return parse_metadata([&header](const char* keyword) -> const std::string* {
    const auto* attribute =
        header.findTypedAttribute<Imf::StringAttribute>(attribute_name(keyword));
    return attribute == nullptr ? nullptr : &attribute->value();
  });
}

/// The single part of a file.
struct OpenExr {
  explicit OpenExr(std::span<const std::byte> file)
      : stream(file), parts((check_size(file), stream), /*numThreads=*/0) {
    if (parts.parts() != 1) throw UnsupportedExr(fmt::format("{} parts", parts.parts()));
    const Imf::Header& first = parts.header(0);
    if (first.hasType() && Imf::isDeepData(first.type())) throw UnsupportedExr("deep pixels");
    part.emplace(parts, 0);
    const Imath::Box2i window = part->header().dataWindow();
    const std::int64_t columns = std::int64_t{window.max.x} - window.min.x + 1;
    const std::int64_t rows = std::int64_t{window.max.y} - window.min.y + 1;
    if (columns < 1 || rows < 1 || columns > kMaxImageSide || rows > kMaxImageSide) {
      throw std::runtime_error("its size is out of range");
    }
    width = static_cast<int>(columns), height = static_cast<int>(rows);
    left = window.min.x, top = window.min.y;
  }
  /// Runs before OpenEXR reads the header and allocates the claimed sizes.
  static void check_size(std::span<const std::byte> file) {
    check_exr_attributes(file);
    Imf::Header::setMaxImageSize(kMaxImageSide, kMaxImageSide);
    constexpr int kMaxTileSide = 4096;
    Imf::Header::setMaxTileSize(kMaxTileSide, kMaxTileSide);
  }

  MemoryInput stream;
  Imf::MultiPartInputFile parts;
  std::optional<Imf::InputPart> part;
  int width = 0, height = 0, left = 0, top = 0;
};

/// Address of pixel (0, 0), possibly outside the buffer.
char* address_before(const void* address, std::int64_t bytes) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(address) -
                                 static_cast<std::uintptr_t>(bytes));
}

/// Reads one row at a time.
void check_pixels(OpenExr& exr) {
  std::vector<float> row(static_cast<std::size_t>(exr.width));
  char* const base = address_before(row.data(), std::int64_t{exr.left} * 4);
  Imf::FrameBuffer slices;
  const Imf::ChannelList& channels = exr.part->header().channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    slices.insert(channel.name(), Imf::Slice(Imf::FLOAT, base, sizeof(float), 0));
  }
  exr.part->setFrameBuffer(slices);
  for (int y = 0; y < exr.height; ++y) exr.part->readPixels(exr.top + y);
}

/// Returns channels in a picture's order. Throws UnsupportedExr.
std::vector<std::string> ordered_channels(const Imf::ChannelList& list) {
  std::vector<std::string> names;
  std::string all;
  bool are_supported = true;
  for (auto channel = list.begin(); channel != list.end(); ++channel) {
    names.emplace_back(channel.name());
    const Imf::Channel& kind = channel.channel();
    const bool is_integer = kind.type == Imf::UINT;
    const bool is_subsampled = kind.xSampling != 1 || kind.ySampling != 1;
    are_supported &= !is_integer && !is_subsampled;
    all += fmt::format("{}{}{}", all.empty() ? "" : ", ", names.back(),
                       is_integer      ? " of integers"
                       : is_subsampled ? " subsampled"
                                       : "");
  }
  const std::size_t dot = names.empty() ? std::string::npos : names.front().rfind('.');
  const std::string layer = dot == std::string::npos ? "" : names.front().substr(0, dot + 1);
  for (const char* const known : {"Y", "YA", "RGB", "RGBA"}) {
    std::vector<std::string> ordered;
    for (const char* name = known; *name != '\0'; ++name) ordered.push_back(layer + *name);
    if (are_supported &&
        std::is_permutation(names.begin(), names.end(), ordered.begin(), ordered.end())) {
      return ordered;
    }
  }
  throw UnsupportedExr(
      fmt::format("channels {}; expected R, G, B or Y, with or without A, half or float", all));
}

void check_levels(const Imf::Header& header) {
  if (!header.hasTileDescription()) return;
  const Imf::LevelMode mode = header.tileDescription().mode;
  if (mode == Imf::ONE_LEVEL) return;
  throw UnsupportedExr(fmt::format("{} levels; save the file with one level",
                                   mode == Imf::MIPMAP_LEVELS ? "MIP" : "RIP"));
}

std::string chromaticities_text(const Imf::Chromaticities& values) {
  return fmt::format("red ({}, {}), green ({}, {}), blue ({}, {}), white ({}, {})", values.red.x,
                     values.red.y, values.green.x, values.green.y, values.blue.x, values.blue.y,
                     values.white.x, values.white.y);
}

ExrDisplay display_of(const Imf::Header& header) {
  ExrDisplay display;
  if (Imf::hasChromaticities(header)) {
    const std::string text = chromaticities_text(Imf::chromaticities(header));
    if (text != chromaticities_text(Imf::Chromaticities())) display.chromaticities = text;
  }
  const Imath::Box2i& window = header.displayWindow();
  if (window != header.dataWindow())
    display.window =
        fmt::format("{}x{} at ({}, {})", std::int64_t{window.max.x} - window.min.x + 1,
                    std::int64_t{window.max.y} - window.min.y + 1, window.min.x, window.min.y);
  display.pixel_aspect = header.pixelAspectRatio();
  return display;
}

/// Upper bound of the bytes that a file's byte may become.
std::uint64_t largest_expansion(Imf::Compression compression) {
  constexpr std::uint64_t kDeflate = 1032, kWidening = 2;  // half to float
  const bool is_dct = compression == Imf::DWAA_COMPRESSION || compression == Imf::DWAB_COMPRESSION;
  return kDeflate * kWidening * (is_dct ? 64 : 1);  // flat blocks have one coefficient
}

void check_memory(const std::string& path, const OpenExr& exr, std::uint64_t size,
                  std::size_t file_size) {
  if (size / largest_expansion(exr.part->header().compression()) > file_size) {
    throw std::runtime_error("the pixels are cut off");
  }
  check_fits_memory(path, "pixels", size);
}

ExrPixels read_pixels(const std::string& path, OpenExr& exr, std::size_t file_size,
                      DecodedPart part) {
  check_levels(exr.part->header());
  const std::vector<std::string> names = ordered_channels(exr.part->header().channels());
  ExrPixels pixels;
  pixels.width = exr.width, pixels.height = exr.height;
  pixels.left = exr.left, pixels.top = exr.top;
  pixels.channels = static_cast<int>(names.size());
  const std::size_t pixel_bytes = names.size() * sizeof(float);
  const std::size_t row_bytes = pixel_bytes * static_cast<std::size_t>(exr.width);
  const std::size_t size = row_bytes * static_cast<std::size_t>(exr.height);
  check_memory(path, exr, size, file_size);
  pixels.display = display_of(exr.part->header());
  pixels.metadata = metadata_of(exr.part->header());
  if (part == DecodedPart::kHeader) return pixels;
  pixels.samples = Buffer<float>(size / sizeof(float));
  Imf::FrameBuffer slices;
  char* const base = address_before(
      pixels.samples.data(), std::int64_t{exr.top} * static_cast<std::int64_t>(row_bytes) +
                                 std::int64_t{exr.left} * static_cast<std::int64_t>(pixel_bytes));
  for (std::size_t c = 0; c < names.size(); ++c) {
    slices.insert(names[c],
                  Imf::Slice(Imf::FLOAT, base + c * sizeof(float), pixel_bytes, row_bytes));
  }
  exr.part->setFrameBuffer(slices);
  // Reads in pieces, so that a truncated file touches no more memory than it fills.
  constexpr int kRows = 256;
  for (int y = 0; y < exr.height; y += kRows) {
    exr.part->readPixels(exr.top + y, exr.top + std::min(y + kRows, exr.height) - 1);
  }
  return pixels;
}

/// Calls read() and adds the path to its errors.
template <typename Read>
auto read_or_fail(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const UnsupportedExr& error) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: is not supported: {}", path, error.what()));
  } catch (const std::exception& error) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: not a valid EXR: {}", path, error.what()));
  }
}

}  // namespace

ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file, DecodedPart part) {
  return read_or_fail(path, [&] {
    OpenExr exr(file);
    return read_pixels(path, exr, file.size(), part);
  });
}

ExrInfo read_exr_info(const std::string& path) {
  const Buffer<std::byte> file = InputFile(path).read_all();
  return read_or_fail(path, [&] {
    OpenExr exr(file.span());
    check_pixels(exr);
    const Imf::Header& header = exr.part->header();
    ExrInfo info{exr.width, exr.height, display_of(header), {}, {}, metadata_of(header)};
    constexpr const char* kTypes[] = {"integer", "half", "float"};
    for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
      info.channels.push_back(fmt::format("{} {}", channel.name(), kTypes[channel.channel().type]));
    if (const auto* const values =
            header.findTypedAttribute<Imf::StringAttribute>(kExrValuesAttribute))
      info.values = values->value();
    return info;
  });
}

}  // namespace roundel::openexr
