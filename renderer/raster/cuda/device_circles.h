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
#include "renderer/raster/cuda/device_rows.h"
#include "renderer/raster/cuda/frame_graph.h"

namespace roundel::cuda {

/// Frames' circles in device memory: made there from a film, from held rows or from a random
/// layer's laws, or made on the host and copied by chunks.
class DeviceCircles {
 public:
  void keep(const Circles& circles, cudaStream_t stream);

  /// Bytes for a film's circles, without states made ahead.
  static std::uint64_t bytes_of_film(std::uint64_t circles) {
    return circles * (3 * sizeof(Shape) + sizeof(Velocity) + sizeof(Paint));
  }
  /// True if the circles do not need the host.
  bool has_all(const CircleStream& circles) const {
    const CircleRecipe* const recipe = circles.recipe();
    return (recipe != nullptr && recipe->film) ||
           (kept_ != nullptr && circles.in_memory() == kept_);
  }

  /// Circles of larger rows are made on the host.
  void limit_rows(std::uint64_t most_bytes) { most_bytes_of_rows_ = most_bytes; }
  /// True if the last put() did not take circles of the host.
  bool makes() const { return makes_; }

  /// Puts a chunk on the device, or all circles if has_all(), in stages of `graph`. Returns at
  /// once; the host's circles must not change until they are copied. The previous frame must have
  /// ended.
  void put(const CircleStream& circles, const Chunk& chunk, FrameGraph& graph, StageStats& stats);
  /// Circles of the chunk, after put().
  const Shape* shapes(const Chunk& chunk) const { return shapes_.data() + first_of(chunk); }
  const Paint* paints(const Chunk& chunk) const {
    return (film_ ? film_->paints() : paints_.data()) + first_of(chunk);
  }

  /// Frees main memory.
  void free_host_memory() { made_ = {}; }
  std::uint64_t bytes() const {
    std::uint64_t bytes = shapes_.bytes() + paints_.bytes() + (film_ ? film_->bytes() : 0);
    for (const auto& rows : rows_) bytes += rows ? rows->bytes() : 0;
    return bytes;
  }

 private:
  /// Identifies paints, see Circles::paints_generation.
  struct PaintsIdentity {
    std::uint64_t generation = 0, begin = 0, end = 0;
    bool operator==(const PaintsIdentity&) const = default;
  };

  std::uint64_t first_of(const Chunk& chunk) const { return holds_all_ ? chunk.begin : 0; }
  void make(const CircleRecipe& recipe, FrameGraph& graph);
  void put_frame(const CircleRecipe& recipe, FrameGraph& graph);
  void begin_film(const FilmCircles& film, cudaStream_t stream);
  void drop_film();
  void drop();
  bool takes_rows(const CircleRecipe& recipe, cudaStream_t stream);
  void make_runs(const CircleStream& circles, const Chunk& chunk, cudaStream_t stream);
  void copy_run(const Circles& circles, std::uint64_t first, std::uint64_t count,
                cudaStream_t stream);
  void copy_paints(const Circles& circles, std::uint64_t first, std::uint64_t count,
                   cudaStream_t stream);

  DeviceBuffer<Shape> shapes_;  // the chunk's, or all
  DeviceBuffer<Paint> paints_;
  bool holds_all_ = false, makes_ = false;
  const Circles* kept_ = nullptr;  // by keep()
  PaintsIdentity copied_paints_;   // contents of paints_
  Circles made_;                   // the chunk's circles on the host, if they were not in memory

  std::uint64_t most_bytes_of_rows_ = 0;
  std::vector<std::shared_ptr<const DeviceRows>> rows_;  // rows of the recipe's runs, or null

  std::shared_ptr<DeviceFilm> film_;                // source of these circles, or null
  std::shared_ptr<const DeviceFilm::State> state_;  // state of the film that shapes_ are made from
  std::int64_t steps_ = 0;                          // steps of shapes_
  std::vector<CircleMove> moves_;   // moves of shapes_; empty before the first frame
  Buffer<LayerFrame> next_frame_;   // [layers]
  DeviceBuffer<LayerFrame> frame_;  // [layers]
};

}  // namespace roundel::cuda
