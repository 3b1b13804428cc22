#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "renderer/circles/circle.h"
#include "renderer/circles/layer_source.h"
#include "renderer/circles/paint_finish.h"
#include "renderer/circles/view.h"
#include "renderer/scene/scene.h"

namespace roundel {

std::unique_ptr<LayerSource> make_layer_source(const Scene& scene, std::uint32_t index,
                                               CircleUse use);

/// Leaves contents undefined. Throws Error(kRuntimeFailure) if circles do not fit in memory.
void resize_discard(Circles& circles, std::uint64_t count);

/// A layer's circles for a use: made by its source, or copied, then finished, moved, and divided
/// into parts.
class LayerCircles {
 public:
  /// Keeps references to the scene and its layer.
  LayerCircles(const Scene& scene, std::size_t index, CircleUse use,
               std::shared_ptr<LayerSource> source, std::shared_ptr<const Circles> kept = nullptr);

  const Layer& layer() const { return layer_; }
  const std::shared_ptr<LayerSource>& source() const { return source_; }
  const LayerTraits& traits() const { return source_->traits(); }
  const PaintFinish& finish() const { return finish_; }
  const CircleMove& move() const { return move_; }
  bool has_double_centers() const { return has_double_centers_; }
  std::size_t count() const { return count_circles(layer_); }
  std::size_t count_parts() const { return count() * parts_; }

  /// Makes the circles once, for copies.
  void keep();
  const std::shared_ptr<const Circles>& kept() const { return kept_; }
  // As in LayerTraits:
  bool is_cheap() const { return kept_ || traits().is_cheap; }
  bool is_parallel() const { return !kept_ && traits().is_parallel; }

  /// Writes shapes.size() parts from `first` on, of the source's prepared frame. `paints` may be
  /// empty; without `moves` circles stay in the source's space. Starts no tasks, unless
  /// is_parallel().
  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints,
            bool moves = true) const;
  /// Fills on all threads.
  void fill_in_parallel(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints,
                        bool moves = true) const;

 private:
  void move_circles(std::size_t first, std::span<Shape> shapes) const;
  void move_centers(std::size_t first, std::span<Shape> shapes) const;

  const Scene& scene_;
  const Layer& layer_;
  std::shared_ptr<LayerSource> source_;
  std::shared_ptr<const Circles> kept_;  ///< as the source fills them, or null
  PaintFinish finish_;
  CircleMove move_;
  bool has_double_centers_, is_listed_on_screen_, has_parts_;
  std::size_t parts_;
};

}  // namespace roundel
