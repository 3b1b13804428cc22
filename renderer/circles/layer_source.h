#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/circles/circle_motion.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/rows_run.h"
#include "renderer/circles/source_memory.h"
#include "renderer/circles/view.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Properties known before the circles are made.
struct LayerTraits {
  /// Making a range costs little more than copying it.
  bool is_cheap = true;
  /// fill() uses all threads. Call it from one thread at a time, for many circles; unless is_cheap,
  /// for all at once.
  bool is_parallel = false;
  /// fill() writes moved circles, in the space of their use.
  bool is_moved = false;
  std::uint64_t largest_chunk = 0;  ///< best number of circles per fetch; 0: any
  SourceMemory memory = {};         ///< besides the caller's circles

  // How devices can make the circles:
  Motion motion = Motion::kNone;     ///< from frame 0; kNone: constant
  const RandomLaws* laws = nullptr;  ///< with random_circle(), or null

  bool is_simulated() const { return motion != Motion::kNone; }
};

/// Makes the circles of one layer.
class LayerSource {
 public:
  virtual ~LayerSource() = default;
  LayerSource(const LayerSource&) = delete;
  LayerSource& operator=(const LayerSource&) = delete;

  const LayerTraits& traits() const { return traits_; }

  /// Prepares a frame, after this many steps of a simulation.
  virtual void prepare(std::int64_t /*steps*/) {}
  /// Writes circles first .. first + n − 1 (n = the size of `shapes`) of the prepared frame: in the
  /// layer's space unless is_moved, with the scene file's colours and the alpha of shader `solid`.
  /// Thread-safe; starts no tasks, unless is_parallel. In simulated layers paints are constant, and
  /// `paints` may be empty.
  virtual void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const = 0;

  /// Centres from circle `first` on, in the layer's space, in binary64. Only for inline, random and
  /// data layers; data layers write all.
  virtual void write_centers(std::size_t /*first*/, std::span<ScenePoint> /*centers*/) const {}
  /// Velocities of a simulated layer, over zeros; called after prepare(0).
  virtual void write_velocities(std::span<Velocity> /*velocities*/) const {}
  /// Reads the rows of a data layer with keys into memory, for all frames, if they take at most
  /// `bytes`.
  virtual void hold(std::uint64_t /*bytes*/) {}
  /// Memory of such rows; 0 for other layers.
  virtual std::uint64_t held_bytes() const { return 0; }
  virtual std::shared_ptr<const HeldRows> held() const { return nullptr; }
  /// How a device makes the circles of held(), if it can; without their finish.
  virtual std::optional<RowLaws> row_laws() const { return std::nullopt; }
  /// Rows of the file, from 0, for circles of a data layer.
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
/// applies; and to the scene, whose view and image define a pixel. `held`: its rows, or null.
std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, const Layer& layer,
                                             const Scene& scene, CircleUse use,
                                             std::shared_ptr<const HeldRows> held = nullptr);

}  // namespace roundel
