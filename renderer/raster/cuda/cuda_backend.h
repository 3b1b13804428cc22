#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "renderer/raster/backend.h"
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/device_circles.h"
#include "renderer/raster/cuda/frame_graph.h"
#include "renderer/raster/cuda/mean_samples.h"
#include "renderer/raster/cuda/png/png_encoder.h"
#include "renderer/raster/cuda/stream.h"
#include "renderer/raster/frame_estimate.h"

namespace roundel::cuda {

/// Draws on one device. bin() and blend() launch kernels or collect them for a graph; result()
/// waits.
class CudaBackend final : public RasterBackend {
 public:
  explicit CudaBackend(const RasterOptions& options);

  ChunkPlan plan(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                 StageStats& stats) override;
  void bin(const Chunk& chunk, StageStats& stats) override;
  void blend(const Chunk& chunk, StageStats& stats) override;
  ChunkResult result(const Chunk& chunk, StageStats& stats) override;
  void finish(StageStats& stats) override;
  bool makes_circles(std::uint64_t count) override;
  bool needs_warm_up() const override { return true; }
  void free_host_memory() override { device_circles_.free_host_memory(); }

  /// Copies circles to the device, where they stay until others are drawn: frames of them upload
  /// nothing and are polled only at their end.
  void keep_on_device(const Circles& circles);
  /// Between these calls bin() and blend() are captured into a graph, not run, and result() reports
  /// success. A frame with the same arguments must have been drawn before.
  void begin_capture();
  cudaGraph_t end_capture();

  cudaStream_t stream() const { return stream_; }

 private:
  struct ChunkEvents {
    Event before_generate, before_bin, after_bin, after_blend;
  };

  void use_device() const;
  bool draws_means() const override { return true; }
  bool has_mean() const { return out_.samples > 1; }
  void set_mean(const ImageSettings& image);
  void add_to_mean(StageStats& stats);
  bool packs(const ImageSettings& image, const FrameTarget& out) const;
  void prepare(const ImageSettings& image, const FrameTarget& out) const;
  void set_frame(const ImageSettings& image, const FrameTarget& out);
  FrameEstimate estimate(const CircleStream& circles, const ImageSettings& image);
  void compare_with_estimate(const FrameProgress& progress);
  void pack();
  void copy_back();
  void record(Event& event);
  void record(Event ChunkEvents::*event);
  void add_times(const ChunkEvents& events, StageStats& stats) const;
  /// Launches earlier stages before a buffer grows, since they may use it.
  template <typename T>
  void reserve(DeviceBuffer<T>& buffer, std::uint64_t size) {
    if (size > buffer.size()) graph_.launch();
    buffer.reserve_discard(size);
  }
  double tiles_per_circle(const Chunk& chunk) const {
    return chunk.number == 0 ? estimate_.front_tiles_per_circle : estimate_.tiles_per_circle;
  }
  void reserve_lists(const Chunk& chunk);
  std::uint32_t slab_circles(std::uint64_t circles, double overlaps_per_circle) const;
  bool is_unlisted(const Chunk& chunk) const;
  bool fits_regions(const Chunk& chunk) const;
  void clear_progress();

  // In backend_memory.cpp, with reserve_lists() and slab_circles().
  std::uint64_t num_pixels() const;
  std::uint64_t slab_bytes() const;
  std::uint64_t largest_chunk(std::uint64_t count);
  void compute_budget(std::uint64_t count);
  std::uint64_t overlap_capacity() const;
  std::uint64_t work_bytes() const;
  std::uint64_t held_bytes() const;

  /// Capacity of lists beyond the prediction: a factor, and overlaps.
  static constexpr double kCapacityMargin = 1.5;
  static constexpr std::uint64_t kExtraOverlaps = 1 << 16;

  RasterOptions options_;
  std::uint64_t num_processors_;
  std::uint64_t block_memory_;  // shared memory, bytes
  bool can_begin_early_;        // see launch()
  Stream stream_;
  std::deque<ChunkEvents> chunk_events_;
  std::size_t num_timed_ = 0;  // chunks since the last result(), if measured
  Event before_mean_, after_mean_, before_pack_, before_copy_, after_copy_;
  FrameGraph graph_{stream_};
  bool is_capturing_ = false;
  std::uint64_t frames_ = 0;
  std::uint64_t budget_ = 0;  // bytes
  // Circles, and bytes of work buffers, when the budget was computed.
  std::uint64_t known_count_ = 0;
  std::uint64_t known_bytes_ = 0;

  // State of the frame:
  const CircleStream* circles_ = nullptr;
  FrameTarget out_ = FrameTarget::nowhere(0);
  PngShape shape_{};
  FrameEstimate estimate_{};
  std::uint64_t needed_overlaps_ = 0;  // for lists that overflowed

  BinCirclesArgs bin_;
  BlendTilesArgs blend_;
  DeviceCircles device_circles_;
  // Samples for estimate_ if the device makes circles. It holds for all frames of this film (0:
  // none) with about as many overlaps.
  SampledCircles sampled_;
  std::uint64_t estimated_film_ = 0;
  TileGrid estimated_grid_{};
  std::optional<std::uint64_t> estimated_overlaps_;  // overlaps of its first frame, once drawn
  DeviceBuffer<std::uint16_t> counts_;
  DeviceBuffer<std::uint32_t> offsets_;
  DeviceBuffer<SlabOverlap> slab_overlaps_;
  DeviceBuffer<OverlapRun> slab_runs_;
  DeviceBuffer<std::uint64_t> scan_words_;
  DeviceBuffer<OverlapRun> lists_;
  DeviceBuffer<std::uint32_t> tile_order_;
  DeviceBuffer<Overlap> overlaps_;
  DeviceBuffer<FrameProgress> progress_;
  bool is_progress_clear_ = false;  // progress_ is as a complete frame leaves it
  DeviceBuffer<std::uint8_t> active_subtiles_;
  DeviceBuffer<SavedPixel> states_;
  DeviceBuffer<float2> other_transmittances_;
  DeviceBuffer<float4> background_;
  // Contents of background_, and its number of rows.
  std::optional<std::pair<BackgroundRows, int>> filled_background_;
  DeviceBuffer<Pixel> framebuffer_;
  MeanArgs mean_{};  // arguments of the mean, if the frame has samples
  DeviceBuffer<Pixel> sums_;
  DeviceBuffer<std::uint8_t> changes_;
  DeviceBuffer<float> display_curve_;
  DeviceBuffer<std::uint8_t> bytes_;
  PngEncoder png_encoder_;  // for targets that are files
  /// Last chunk that the previous frame needed. The next frame is delivered and polled after it.
  std::uint32_t last_chunk_ = ~0u;
  bool is_delivered_ = false;
  Buffer<FrameProgress> progress_copy_;
};

}  // namespace roundel::cuda
