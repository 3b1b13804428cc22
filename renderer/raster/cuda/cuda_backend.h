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
#include "renderer/raster/cuda/png/png_encoder.h"
#include "renderer/raster/cuda/stream.h"
#include "renderer/raster/frame_estimate.h"

namespace roundel::cuda {

/// Draws frames on one device. bin() and blend() only put kernels into a stream, or collect them
/// for it; result() waits.
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
  bool starts_slowly() const override { return true; }
  void give_back() override { device_circles_.give_back(); }

  /// Copies circles to the device, where they stay until others are drawn: frames of them upload
  /// nothing, and are asked after only at their end.
  void keep_on_device(const Circles& circles);
  /// Between these two bin() and blend() are captured into a graph instead of being run, and
  /// result() says that all went well. A frame with the same arguments must have been drawn before.
  void begin_capture();
  cudaGraph_t end_capture();

  cudaStream_t stream() const { return stream_; }

 private:
  struct ChunkEvents {
    Event before_generate, before_bin, after_bin, after_blend;
  };

  void use_device() const;
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
  /// Room for so many, for stages of the frame. What it has now may belong to stages in front.
  template <typename T>
  void reserve(DeviceBuffer<T>& buffer, std::uint64_t size) {
    if (size > buffer.size()) graph_.launch();
    buffer.reserve_discard(size);
  }
  void reserve_lists(const Chunk& chunk);
  std::uint32_t slab_circles(std::uint64_t circles, double overlaps_per_circle) const;
  bool needs_no_lists(const Chunk& chunk) const;
  bool is_for_regions(const Chunk& chunk) const;
  void clear_progress();

  // In backend_memory.cpp, as are reserve_lists() and slab_circles().
  std::uint64_t num_pixels() const;
  std::uint64_t slab_bytes() const;
  std::uint64_t largest_chunk(std::uint64_t count);
  void compute_budget(std::uint64_t count);
  std::uint64_t overlap_capacity() const;
  std::uint64_t work_bytes() const;
  std::uint64_t held() const;

  /// Capacity for lists beyond what the sampled circles predict: a factor, and overlaps.
  static constexpr double kCapacityMargin = 1.5;
  static constexpr std::uint64_t kFewOverlaps = 1 << 16;

  RasterOptions options_;
  std::uint64_t num_processors_;
  std::uint64_t block_memory_;  // shared, bytes
  bool can_begin_early_;        // kernels, see launch()
  Stream stream_;
  std::deque<ChunkEvents> chunk_events_;
  std::size_t num_timed_ = 0;  // chunks since the host has asked, where times are wanted
  Event before_pack_, before_copy_, after_copy_;
  FrameGraph graph_{stream_};
  bool is_capturing_ = false;
  std::uint64_t frames_ = 0;       // drawn
  std::uint64_t budget_ = 0;       // bytes
  std::uint64_t known_count_ = 0;  // circles, and bytes of work, when the budget was found
  std::uint64_t known_bytes_ = 0;

  // Of the frame.
  const CircleStream* circles_ = nullptr;
  FrameTarget out_ = FrameTarget::nowhere(0);
  PngShape shape_{};
  FrameEstimate estimate_{};
  std::uint64_t needed_overlaps_ = 0;  // by lists that did not fit

  BinCirclesArgs bin_;
  BlendTilesArgs blend_;
  DeviceCircles device_circles_;
  // Of circles that the device makes, for estimate_, which holds for all frames of this film that
  // have about as many overlaps; 0: for none.
  SampledCircles sampled_;
  std::uint64_t estimated_film_ = 0;
  TileGrid estimated_grid_{};
  std::optional<std::uint64_t> estimated_overlaps_;  // of the first such frame, once it is drawn
  DeviceBuffer<std::uint16_t> counts_;
  DeviceBuffer<std::uint32_t> offsets_;
  DeviceBuffer<SlabOverlap> slab_overlaps_;
  DeviceBuffer<OverlapRun> slab_runs_;
  DeviceBuffer<std::uint64_t> scan_words_;
  DeviceBuffer<OverlapRun> lists_;
  DeviceBuffer<std::uint32_t> tile_order_;
  DeviceBuffer<Overlap> overlaps_;
  DeviceBuffer<FrameProgress> progress_;
  bool is_progress_clear_ = false;  // as a frame that was drawn to its end leaves it
  DeviceBuffer<std::uint8_t> active_subtiles_;
  DeviceBuffer<SavedPixel> states_;
  DeviceBuffer<float2> other_transmittances_;
  DeviceBuffer<float4> background_;
  std::optional<std::pair<BackgroundRows, int>> filled_background_;  // what that has, how many rows
  DeviceBuffer<Pixel> framebuffer_;
  DeviceBuffer<std::uint8_t> bytes_;
  PngEncoder png_encoder_;  // of frames whose target is a file
  /// The chunk after which the last frame was done. The next frame is delivered and asked for its
  /// result after it, though it may need more.
  std::uint32_t last_chunk_ = ~0u;
  bool is_delivered_ = false;
  Buffer<FrameProgress> progress_copy_;
};

}  // namespace roundel::cuda
