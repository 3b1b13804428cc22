#include "renderer/image/exr_open.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfPartType.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "renderer/base/memory.h"
#include "renderer/image/exr_module.h"
#include "renderer/pixels/image_settings.h"

namespace roundel::openexr {
namespace {

constexpr std::size_t kMaxChannels = 1024;  // in all parts

/// Runs before OpenEXR reads the header and allocates the claimed sizes.
void check_size(std::span<const std::byte> file) {
  check_exr_attributes(file);
  Imf::Header::setMaxImageSize(kMaxImageSide, kMaxImageSide);
  constexpr int kMaxTileSide = 4096;
  Imf::Header::setMaxTileSize(kMaxTileSide, kMaxTileSide);
}

/// Throws UnsupportedExr.
void check_kinds(const OpenExr& exr) {
  std::size_t channels = 0;
  std::string subsampled;
  for (int part = 0; part < exr.parts.parts(); ++part) {
    const Imf::Header& header = exr.parts.header(part);
    if (header.hasType() && Imf::isDeepData(header.type())) throw UnsupportedExr("deep pixels");
    const Imf::ChannelList& list = header.channels();
    if (list.begin() == list.end()) throw UnsupportedExr("no channels");
    for (auto channel = list.begin(); channel != list.end(); ++channel) {
      ++channels;
      if (channel.channel().xSampling != 1 || channel.channel().ySampling != 1)
        subsampled += fmt::format("{}{}", subsampled.empty() ? "" : ", ", channel.name());
    }
  }
  if (!subsampled.empty()) throw UnsupportedExr("subsampled channels " + subsampled);
  if (channels > kMaxChannels)
    throw UnsupportedExr(fmt::format("{} channels, more than {}", channels, kMaxChannels));
}

/// Upper bound of the bytes that a file's byte may become.
std::uint64_t largest_expansion(Imf::Compression compression) {
  constexpr std::uint64_t kDeflate = 1032, kWidening = 2;  // half to float
  const bool is_dct = compression == Imf::DWAA_COMPRESSION || compression == Imf::DWAB_COMPRESSION;
  return kDeflate * kWidening * (is_dct ? 64 : 1);  // flat blocks have one coefficient
}

/// OpenEXR's buffers for a tile, or for the most scan lines that it reads at once.
std::uint64_t block_bytes(const Imf::Header& header) {
  std::uint64_t channels = 0;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
    ++channels;
  constexpr std::uint64_t kMaxLines = 256, kCopies = 3;
  const auto width = static_cast<std::uint64_t>(data_window(header).width);
  std::uint64_t pixels = width * kMaxLines;
  if (header.hasTileDescription()) {
    const Imf::TileDescription& tile = header.tileDescription();
    // Rows of tiles are kept whole.
    pixels = (has_levels(header) ? tile.xSize : std::max<std::uint64_t>(width, tile.xSize)) *
             std::uint64_t{tile.ySize};
  }
  return kCopies * sizeof(float) * channels * pixels;
}

}  // namespace

char* MemoryInput::readMemoryMapped(int size) {
  return const_cast<char*>(reinterpret_cast<const char*>(take(size)));
}

bool MemoryInput::read(char* out, int size) {
  std::memcpy(out, take(size), static_cast<std::size_t>(size));
  return position_ < file_.size();
}

const std::byte* MemoryInput::take(int size) {
  const auto bytes = static_cast<std::size_t>(size);
  if (size < 0 || position_ > file_.size() || bytes > file_.size() - position_) {
    throw std::runtime_error("it is cut off");
  }
  position_ += bytes;
  return file_.data() + position_ - bytes;
}

OpenExr::OpenExr(std::span<const std::byte> file)
    : stream(file), parts((check_size(file), stream), /*numThreads=*/0), file_size(file.size()) {
  check_kinds(*this);
}

std::string part_name(const OpenExr& exr, int part) {
  return exr.parts.parts() == 1 ? "" : exr.parts.header(part).name();
}

bool has_levels(const Imf::Header& header) {
  const bool is_tiled = !header.hasType() || Imf::isTiled(header.type());
  return is_tiled && header.hasTileDescription() && header.tileDescription().mode != Imf::ONE_LEVEL;
}

ExrWindow data_window(const Imf::Header& header) {
  const Imath::Box2i& window = header.dataWindow();
  const std::int64_t columns = std::int64_t{window.max.x} - window.min.x + 1;
  const std::int64_t rows = std::int64_t{window.max.y} - window.min.y + 1;
  if (columns < 1 || rows < 1 || columns > kMaxImageSide || rows > kMaxImageSide) {
    throw std::runtime_error("its size is out of range");
  }
  return {window.min.x, window.min.y, static_cast<int>(columns), static_cast<int>(rows)};
}

void check_memory(const std::string& path, const OpenExr& exr, std::uint64_t bytes) {
  std::uint64_t expansion = 1;
  for (int part = 0; part < exr.parts.parts(); ++part) {
    const Imf::Header& header = exr.parts.header(part);
    expansion = std::max(expansion, largest_expansion(header.compression()));
    check_fits_memory(path, "blocks of pixels", block_bytes(header));
  }
  if (bytes / expansion > exr.file_size) throw std::runtime_error("the pixels are cut off");
  check_fits_memory(path, "pixels", bytes);
}

char* address_before(const void* address, std::int64_t bytes) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(address) -
                                 static_cast<std::uintptr_t>(bytes));
}

}  // namespace roundel::openexr
