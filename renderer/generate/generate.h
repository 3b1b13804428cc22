#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/raster/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Produces the circles of any frame of a scene, in scene space and in paint order. Frame f of a
/// simulated layer is its initial state after f steps of 1/60 s; stepping on from the frame
/// generated last is cheap, going back starts over from frame 0. The circles of a frame are the
/// same bits however it is reached.
class CircleSource {
 public:
  /// Keeps a reference to the scene. Opens data files.
  explicit CircleSource(const Scene& scene);
  ~CircleSource();

  /// 0 <= frame <= kMaxFrame. Reuses the memory of `circles`. Colours are in the scene's blend
  /// space. Throws Error(kInvalidScene) for data with values out of range ("PATH: row 17: radius:
  /// …").
  void generate(std::int64_t frame, Circles& circles);

  /// True where the circles depend on the frame: some layer is simulated.
  bool is_simulated() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Number of circles of every frame, of the whole scene or of a layer, without generating them.
std::uint64_t count_circles(const Scene& scene);
std::uint64_t count_circles(const Layer& layer);

/// True for the names that `generator:` knows; `classic_names()` lists them.
bool is_classic_name(const std::string& name);
std::vector<std::string> classic_names();

/// The shader of a classic scene's circles where a layer names none.
Shader classic_shader(const std::string& name);

}  // namespace roundel
