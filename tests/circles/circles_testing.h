#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "renderer/circles/generate.h"
#include "renderer/scene/classic_scenes.h"
#include "tests/testing.h"

namespace roundel {

inline Layer classic_layer(const std::string& name) {
  Layer layer;
  layer.source = GeneratorSource{name, std::nullopt};
  layer.shader = classic_scene(name).shader;
  return layer;
}

inline Scene scene_of(std::vector<Layer> layers, std::uint32_t seed = 1) {
  Scene scene;
  scene.seed = seed;
  scene.layers = std::move(layers);
  return scene;
}

inline Circles circles_of(const Scene& scene, std::int64_t frame = 0) {
  Circles circles;
  CircleSource(scene, CircleUse::kList).generate(frame, circles);
  return circles;
}

/// Returns x, y, z, radius, red, green, blue of each circle.
inline std::vector<float> rows_of(const Circles& circles) {
  std::vector<float> rows;
  rows.reserve(7 * circles.count());
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const Shape& s = circles.shapes[i];
    const Paint& p = circles.paints[i];
    rows.insert(rows.end(), {s.x, s.y, s.z, s.radius, p.red, p.green, p.blue});
  }
  return rows;
}

inline bool same_bits(const Circles& a, const Circles& b) {
  if (a.count() != b.count()) return false;
  return a.count() == 0 ||  // the pointers may be null
         (std::memcmp(a.shapes.data(), b.shapes.data(), a.count() * sizeof(Shape)) == 0 &&
          std::memcmp(a.paints.data(), b.paints.data(), a.count() * sizeof(Paint)) == 0);
}

}  // namespace roundel
