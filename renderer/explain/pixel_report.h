#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>

#include "renderer/circles/generate.h"
#include "renderer/explain/explain_pixel.h"
#include "renderer/explain/scene_text.h"

namespace roundel {

/// Rows count from the top here.
struct PixelReport {
  const Scene& scene;
  std::int64_t frame;
  int x, y;
  const Circles& circles;  ///< in frame space
  const PixelExplanation& explanation;
  std::map<std::uint64_t, std::uint64_t> rows;        ///< by circle, for circles from data
  std::map<std::uint64_t, std::uint32_t> lines = {};  ///< by circle, for circles in the scene file
};

/// Returns the data rows of the circles.
std::map<std::uint64_t, std::uint64_t> rows_of(const Scene& scene, CircleSource& source,
                                               const PixelExplanation& explanation);

/// Returns the scene file lines, from 1, of inline circles.
std::map<std::uint64_t, std::uint32_t> lines_of(const Scene& scene, const SceneText& text,
                                                const PixelExplanation& explanation);

/// JSON for programs; docs/explain.md lists the keys. Numbers are binary32, with all digits.
nlohmann::ordered_json pixel_json(const PixelReport& report);
/// The first keys of all reports.
nlohmann::ordered_json scene_json(const Scene& scene, std::int64_t frame);

/// True if the scene has blend modes other than over.
bool has_modes(const Scene& scene);

}  // namespace roundel
