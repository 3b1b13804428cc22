#pragma once
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfPixelType.h>
#include <OpenEXR/ImfTileDescription.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roundel {

struct TestPart {
  std::vector<std::pair<std::string, Imf::PixelType>> channels;
  /// x and y count from the data window's upper left.
  std::function<double(const std::string& channel, int x, int y, int level)> value;
  std::string name = {};
  Imath::Box2i window = {{0, 0}, {7, 5}};
  std::optional<Imf::LevelMode> levels = {};  ///< tiles of 4x4 pixels; none: scan lines
};

/// Writes an EXR with a display window of 8x6 pixels.
void write_parts(const std::string& path, const std::vector<TestPart>& parts);

}  // namespace roundel
