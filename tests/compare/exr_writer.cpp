#include "tests/compare/exr_writer.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTiledOutputPart.h>

#include <cstring>

namespace roundel {
namespace {

Imf::Header header_of(const TestPart& part) {
  Imf::Header header({{0, 0}, {7, 5}}, part.window);
  for (const auto& [name, type] : part.channels) header.channels().insert(name, Imf::Channel(type));
  if (!part.name.empty()) header.setName(part.name);
  header.setType(part.levels ? Imf::TILEDIMAGE : Imf::SCANLINEIMAGE);
  if (part.levels) header.setTileDescription(Imf::TileDescription(4, 4, *part.levels));
  return header;
}

/// The samples of a level, in the file's types.
struct Samples {
  Samples(const TestPart& part, int width, int height, int level) {
    const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    for (const auto& [name, type] : part.channels) {
      const std::size_t size = type == Imf::HALF ? 2 : 4;
      std::vector<char>& plane = planes.emplace_back(pixels * size);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          const double value = part.value(name, x, y, level);
          const half as_half(static_cast<float>(value));
          const auto as_float = static_cast<float>(value);
          const auto as_integer = type == Imf::UINT ? static_cast<unsigned>(value) : 0U;
          const void* const from = type == Imf::HALF    ? static_cast<const void*>(&as_half)
                                   : type == Imf::FLOAT ? static_cast<const void*>(&as_float)
                                                        : static_cast<const void*>(&as_integer);
          std::memcpy(&plane[static_cast<std::size_t>(y * width + x) * size], from, size);
        }
      const Imath::Box2i window(part.window.min,
                                part.window.min + Imath::V2i(width - 1, height - 1));
      slices.insert(name, Imf::Slice::Make(type, plane.data(), window));
    }
  }
  std::vector<std::vector<char>> planes;
  Imf::FrameBuffer slices;
};

void write_levels(Imf::TiledOutputPart& file, const TestPart& part) {
  for (int y = 0; y < file.numYLevels(); ++y)
    for (int x = 0; x < file.numXLevels(); ++x) {
      if (!file.isValidLevel(x, y)) continue;
      const Samples samples(part, file.levelWidth(x), file.levelHeight(y), 10 * x + y);
      file.setFrameBuffer(samples.slices);
      file.writeTiles(0, file.numXTiles(x) - 1, 0, file.numYTiles(y) - 1, x, y);
    }
}

}  // namespace

void write_parts(const std::string& path, const std::vector<TestPart>& parts) {
  std::vector<Imf::Header> headers;
  for (const TestPart& part : parts) headers.push_back(header_of(part));
  Imf::MultiPartOutputFile file(path.c_str(), headers.data(), static_cast<int>(headers.size()));
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    const TestPart& part = parts[static_cast<std::size_t>(i)];
    if (part.levels) {
      Imf::TiledOutputPart tiles(file, i);
      write_levels(tiles, part);
      continue;
    }
    const int width = part.window.max.x - part.window.min.x + 1;
    const int height = part.window.max.y - part.window.min.y + 1;
    const Samples samples(part, width, height, 0);
    Imf::OutputPart lines(file, i);
    lines.setFrameBuffer(samples.slices);
    lines.writePixels(height);
  }
}

}  // namespace roundel
