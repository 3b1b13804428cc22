#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>

#include "renderer/circles/generate.h"
#include "renderer/explain/explain_pixel.h"
#include "renderer/explain/scene_text.h"

namespace roundel {

/// A pixel that was explained. Rows count from the top here, as people count them.
struct PixelReport {
  const Scene& scene;
  std::int64_t frame;
  int x, y;
  const Circles& circles;  ///< in frame space
  const PixelExplanation& explanation;
  std::map<std::uint64_t, std::uint64_t> rows;        ///< by circle, of those that are data
  std::map<std::uint64_t, std::uint32_t> lines = {};  ///< of those that stand in the scene file
};

/// Which rows of data files the circles of an explanation are.
std::map<std::uint64_t, std::uint64_t> rows_of(const Scene& scene, CircleSource& source,
                                               const PixelExplanation& explanation);

/// Which lines of the scene file, from 1, its inline circles are.
std::map<std::uint64_t, std::uint32_t> lines_of(const Scene& scene, const SceneText& text,
                                                const PixelExplanation& explanation);

/// For programs; docs/explain.md lists the keys. Numbers are binary32 ones, in full.
nlohmann::ordered_json pixel_json(const PixelReport& report);
/// What all reports begin with.
nlohmann::ordered_json scene_json(const Scene& scene, std::int64_t frame);

/// True where circles are not only painted over each other.
bool has_modes(const Scene& scene);

}  // namespace roundel
