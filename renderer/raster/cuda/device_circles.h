#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle_recipe.h"
#include "renderer/circles/circle_stream.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/device_film.h"
#include "renderer/raster/cuda/frame_graph.h"

namespace roundel::cuda {

/// The circles of frames in device memory: made there from their film's, or of a random layer's
/// laws; or made on the host and copied chunk by chunk.
class DeviceCircles {
 public:
  /// Copies circles to the device, where they stay until others are drawn.
  void keep(const Circles& circles, cudaStream_t stream);

  /// Device memory that a film's circles take, in bytes, but for states that are made ahead.
  static std::uint64_t bytes_of_film(std::uint64_t circles) {
    return circles * (3 * sizeof(Shape) + sizeof(Velocity) + sizeof(Paint));
  }
  /// True for circles that can all be there without the host.
  bool has_all(const CircleStream& circles) const {
    const CircleRecipe* const recipe = circles.recipe();
    return (recipe != nullptr && recipe->film) ||
           (kept_ != nullptr && circles.in_memory() == kept_);
  }

  /// True for circles that are made on the device.
  static bool makes(const CircleStream& circles) { return circles.recipe() != nullptr; }

  /// Puts a chunk there, or all that has_all(), which takes stages of `graph`. Returns at once;
  /// circles that the host makes are made before (stage generate), and may not change until the
  /// stream has come there. The frame before has ended.
  void put(const CircleStream& circles, const Chunk& chunk, FrameGraph& graph, StageStats& stats);
  /// The chunk's, which has been put there.
  const Shape* shapes(const Chunk& chunk) const { return shapes_.data() + first_of(chunk); }
  const Paint* paints(const Chunk& chunk) const {
    return (film_ ? film_->paints() : paints_.data()) + first_of(chunk);
  }

  /// Gives back main memory.
  void give_back() { made_ = {}; }
  std::uint64_t bytes() const {
    return shapes_.bytes() + paints_.bytes() + (film_ ? film_->bytes() : 0);
  }

 private:
  /// Tells paints from others: see Circles::paints_generation.
  struct PaintsIdentity {
    std::uint64_t generation = 0, begin = 0, end = 0;
    bool operator==(const PaintsIdentity&) const = default;
  };

  std::uint64_t first_of(const Chunk& chunk) const { return holds_all_ ? chunk.begin : 0; }
  void make(const CircleRecipe& recipe, FrameGraph& graph);
  void put_frame(const CircleRecipe& recipe, FrameGraph& graph);
  void begin_film(const FilmCircles& film, cudaStream_t stream);
  void leave_film();
  void make_random(const CircleStream& circles, const Chunk& chunk, cudaStream_t stream);
  void copy_run(const Circles& circles, std::uint64_t first, std::uint64_t count,
                cudaStream_t stream);
  void copy_paints(const Circles& circles, std::uint64_t first, std::uint64_t count,
                   cudaStream_t stream);

  DeviceBuffer<Shape> shapes_;  // of the chunk, or all
  DeviceBuffer<Paint> paints_;
  bool holds_all_ = false;
  const Circles* kept_ = nullptr;  // by keep()
  PaintsIdentity copied_paints_;   // what paints_ holds
  Circles made_;                   // the chunk's, on the host, where they were not in memory

  std::shared_ptr<DeviceFilm> film_;                // whose circles are here; null where others are
  std::shared_ptr<const DeviceFilm::State> state_;  // that they are made from
  std::int64_t steps_ = 0;                          // of shapes_
  std::vector<CircleMove> moves_;                   // of shapes_; empty: they are not made yet
  Buffer<LayerFrame> next_frame_;                   // [layers]
  DeviceBuffer<LayerFrame> frame_;                  // [layers]
};

}  // namespace roundel::cuda
