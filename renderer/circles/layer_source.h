#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/circles/circle_motion.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/source_memory.h"
#include "renderer/circles/view.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Properties of a layer's circles, known before they are made.
struct LayerTraits {
  /// Making any range again while drawing costs little more than copying it.
  bool is_cheap = true;
  /// fill() uses all threads. Call it from one thread at a time, for many circles, and unless
  /// is_cheap for the whole layer at once.
  bool is_parallel = false;
  /// fill() writes circles already moved by their layer, in the space of their use.
  bool is_moved = false;
  std::uint64_t largest_chunk = 0;  ///< circles that drawing should fetch at once; 0: any number
  SourceMemory memory = {};         ///< besides the caller's circles

  // How a device can make the circles:
  Motion motion = Motion::kNone;     ///< from those of frame 0; kNone: they stay in place
  const RandomLaws* laws = nullptr;  ///< by random_circle() with these; null: it cannot

  bool is_simulated() const { return motion != Motion::kNone; }
};

/// Produces the circles of one layer.
class LayerSource {
 public:
  virtual ~LayerSource() = default;
  LayerSource(const LayerSource&) = delete;
  LayerSource& operator=(const LayerSource&) = delete;

  const LayerTraits& traits() const { return traits_; }

  /// Prepares a frame, after this many steps of the layer's simulation.
  virtual void prepare(std::int64_t /*steps*/) {}
  /// Writes circles first .. first + n − 1 (n = the size of `shapes`) of the prepared frame: in the
  /// layer's space unless is_moved, with the scene file's colours and the alpha of shader `solid`.
  /// Thread-safe; starts no tasks, but see LayerTraits::is_parallel. Simulated layers have the same
  /// paints in every frame, and skip them if `paints` is empty.
  virtual void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const = 0;

  /// Writes the centres of circles first .. first + n − 1 in the layer's space, in binary64. Only
  /// for inline, random and data layers; data layers write all.
  virtual void write_centers(std::size_t /*first*/, std::span<ScenePoint> /*centers*/) const {}
  /// Writes the velocities of all circles of a simulated layer over zeros; called after prepare(0).
  virtual void write_velocities(std::span<Velocity> /*velocities*/) const {}
  /// Returns the rows of the file, counted from 0, for these circles of a layer with data.
  virtual std::vector<std::uint64_t> rows_of(std::span<const std::uint64_t> /*circles*/) {
    return {};
  }

 protected:
  LayerSource() = default;
  explicit LayerSource(const LayerTraits& traits) : traits_(traits) {}

  LayerTraits traits_;
};

// `alpha` below is for circles without their own.

/// Keeps a reference to `source`.
std::unique_ptr<LayerSource> make_random_layer(const RandomSource& source, std::uint32_t seed,
                                               std::uint32_t layer_index, float alpha);
/// Keeps a reference to `source`.
std::unique_ptr<LayerSource> make_inline_layer(const InlineSource& source, float alpha);
/// Keeps references to `source`, whose table must be open; to its layer, whose move and opacity it
/// applies; and to the scene, whose view and image define a pixel.
std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, const Layer& layer,
                                             const Scene& scene, CircleUse use);

}  // namespace roundel
