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

/// Properties of a layer's circles, known before any is made.
struct LayerTraits {
  /// Any range can be made again when it is drawn, for little more than what copying it takes.
  bool is_cheap = true;
  /// fill() uses all threads. Call it from one thread at a time, for many circles, and for all of
  /// the layer at once unless they are cheap.
  bool is_parallel = false;
  /// fill() writes circles as they are used, and their layer has moved them.
  bool is_moved = false;
  std::uint64_t largest_chunk = 0;  ///< circles that drawing should take at once; 0: any number
  SourceMemory memory = {};         ///< main memory beside the circles of the caller

  // A device's own way to make the circles, if it has one:
  Motion motion = Motion::kNone;     ///< from those of frame 0; kNone: they stay as they are
  const RandomLaws* laws = nullptr;  ///< by random_circle() of these; null: not so

  bool is_simulated() const { return motion != Motion::kNone; }
};

/// Produces the circles of one layer.
class LayerSource {
 public:
  virtual ~LayerSource() = default;
  LayerSource(const LayerSource&) = delete;
  LayerSource& operator=(const LayerSource&) = delete;

  const LayerTraits& traits() const { return traits_; }

  /// Gets ready for a frame, after this many steps of its simulation.
  virtual void prepare(std::int64_t /*steps*/) {}
  /// Writes circles first .. first + n − 1 (n = the size of `shapes`) of the frame that was
  /// prepared last: in the layer's space unless they are moved, colours as written in the scene,
  /// alpha as for the shader `solid`. Many threads may call it at once; starts no tasks. (See
  /// LayerTraits::is_parallel.) Simulated layers have the same paints in every frame, and leave
  /// them out where `paints` is empty.
  virtual void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const = 0;

  /// Writes the centres of circles first .. first + n − 1 in the layer's space and in binary64.
  /// Only for layers that are inline, random or data, of which it writes all.
  virtual void write_centers(std::size_t /*first*/, std::span<ScenePoint> /*centers*/) const {}
  /// Writes the velocities of all circles of a simulated layer. Called with zeros, after
  /// prepare(0).
  virtual void write_velocities(std::span<Velocity> /*velocities*/) const {}
  /// Returns the rows of the file that these circles of a layer with data are, counted from 0.
  virtual std::vector<std::uint64_t> rows_of(std::span<const std::uint64_t> /*circles*/) {
    return {};
  }

 protected:
  LayerSource() = default;
  explicit LayerSource(const LayerTraits& traits) : traits_(traits) {}

  LayerTraits traits_;
};

// In all of these, `alpha` is that of circles that bring none of their own.

/// Keeps a reference to `source`.
std::unique_ptr<LayerSource> make_random_layer(const RandomSource& source, std::uint32_t seed,
                                               std::uint32_t layer_index, float alpha);
/// Keeps a reference to `source`.
std::unique_ptr<LayerSource> make_inline_layer(const InlineSource& source, float alpha);
/// Keeps references to `source`, whose table must be open, to its layer, whose move and opacity are
/// in what it makes, and to the scene, whose view and image say what a pixel is.
std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, const Layer& layer,
                                             const Scene& scene, CircleUse use);

}  // namespace roundel
