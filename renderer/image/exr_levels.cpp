// EXR files of any channels, parts and levels.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfTiledInputPart.h>

#include <algorithm>
#include <tuple>

#include "renderer/image/exr_open.h"

namespace roundel::openexr {
namespace {

/// A level and its place in the file.
struct FoundLevel {
  int part = 0;
  ExrLevel level;
};

std::vector<ExrLevel::Channel> channels_of(const Imf::Header& header) {
  std::vector<ExrLevel::Channel> channels;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
    channels.push_back({channel.name(), channel.channel().type == Imf::UINT});
  return channels;
}

/// Returns the length of a side at a level.
int side_at(int side, int level, Imf::LevelRoundingMode rounding) {
  const std::int64_t divisor = std::int64_t{1} << level;
  const std::int64_t length =
      rounding == Imf::ROUND_UP ? (side + divisor - 1) / divisor : side / divisor;
  return static_cast<int>(std::max<std::int64_t>(length, 1));
}

int number_of_levels(int side, Imf::LevelRoundingMode rounding) {
  int levels = 1;
  while (side_at(side, levels - 1, rounding) > 1) ++levels;
  return levels;
}

void find_levels(const OpenExr& exr, int part, std::vector<FoundLevel>& found) {
  const Imf::Header& header = exr.parts.header(part);
  const ExrWindow window = data_window(header);
  const auto add = [&](int x, int y, int width, int height) {
    ExrLevel level;
    level.part = part_name(exr, part);
    level.level_x = x, level.level_y = y;
    level.left = window.left, level.top = window.top;
    level.width = width, level.height = height;
    level.channels = channels_of(header);
    found.push_back({part, std::move(level)});
  };
  if (!has_levels(header)) return add(0, 0, window.width, window.height);
  const Imf::TileDescription& tiles = header.tileDescription();
  if (tiles.mode == Imf::MIPMAP_LEVELS) {
    const int levels = number_of_levels(std::max(window.width, window.height), tiles.roundingMode);
    for (int n = 0; n < levels; ++n)
      add(n, n, side_at(window.width, n, tiles.roundingMode),
          side_at(window.height, n, tiles.roundingMode));
    return;
  }
  for (int y = 0; y < number_of_levels(window.height, tiles.roundingMode); ++y)
    for (int x = 0; x < number_of_levels(window.width, tiles.roundingMode); ++x)
      add(x, y, side_at(window.width, x, tiles.roundingMode),
          side_at(window.height, y, tiles.roundingMode));
}

Imf::FrameBuffer slices_of(ExrLevel& level) {
  const std::size_t pixel = level.channels.size() * sizeof(float);
  const std::size_t row = pixel * static_cast<std::size_t>(level.width);
  char* const base = address_before(
      level.samples.data(), std::int64_t{level.top} * static_cast<std::int64_t>(row) +
                                std::int64_t{level.left} * static_cast<std::int64_t>(pixel));
  Imf::FrameBuffer slices;
  for (std::size_t c = 0; c < level.channels.size(); ++c) {
    const Imf::PixelType type = level.channels[c].is_integer ? Imf::UINT : Imf::FLOAT;
    slices.insert(level.channels[c].name, Imf::Slice(type, base + c * sizeof(float), pixel, row));
  }
  return slices;
}

/// Reads in pieces, so that a truncated file touches no more memory than it fills.
void read_lines(Imf::InputPart& input, ExrLevel& level) {
  input.setFrameBuffer(slices_of(level));
  constexpr int kRows = 256;
  for (int y = 0; y < level.height; y += kRows)
    input.readPixels(level.top + y, level.top + std::min(y + kRows, level.height) - 1);
}

void read_tiles(Imf::TiledInputPart& input, ExrLevel& level) {
  input.setFrameBuffer(slices_of(level));
  const int x = level.level_x, y = level.level_y;
  for (int row = 0; row < input.numYTiles(y); ++row)
    input.readTiles(0, input.numXTiles(x) - 1, row, row, x, y);
}

}  // namespace

std::vector<ExrLevel> read_levels(const std::string& path, OpenExr& exr, DecodedPart part) {
  std::vector<FoundLevel> found;
  for (int i = 0; i < exr.parts.parts(); ++i) find_levels(exr, i, found);
  std::uint64_t bytes = 0;
  for (const FoundLevel& one : found) bytes += one.level.all_samples() * sizeof(float);
  check_memory(path, exr, bytes);
  for (std::size_t i = 0; part == DecodedPart::kAll && i < found.size();) {
    const int number = found[i].part;
    const bool is_tiled = has_levels(exr.parts.header(number));
    std::optional<Imf::InputPart> lines;
    std::optional<Imf::TiledInputPart> tiles;
    if (is_tiled)
      tiles.emplace(exr.parts, number);
    else
      lines.emplace(exr.parts, number);
    for (; i < found.size() && found[i].part == number; ++i) {
      ExrLevel& level = found[i].level;
      level.samples = Buffer<float>(level.all_samples());
      if (is_tiled)
        read_tiles(*tiles, level);
      else
        read_lines(*lines, level);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundLevel& a, const FoundLevel& b) {
    return a.level.part < b.level.part;
  });
  std::vector<ExrLevel> levels;
  levels.reserve(found.size());
  for (FoundLevel& one : found) levels.push_back(std::move(one.level));
  return levels;
}

}  // namespace roundel::openexr
