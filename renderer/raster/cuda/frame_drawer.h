#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/frame_estimate.h"

namespace roundel::cuda {

/// For estimate_frame(): a second chunk costs more than longer lists of the first.
inline constexpr double kSaturationFactor = 6;

/// Room for lists beyond what the sampled circles let expect: a factor, and overlaps.
inline constexpr double kCapacityMargin = 1.5;
inline constexpr std::uint64_t kFewOverlaps = 1 << 16;

/// Draws frames of one image size: keeps the device memory that bin and blend work in, and puts
/// their kernels into a stream, a chunk at a time. Nothing here waits for the device unless it says
/// so.
class FrameDrawer {
 public:
  /// Where finished pixels go, in device memory; either may be null.
  struct Target {
    Pixel* framebuffer = nullptr;   // [height · width]
    std::uint8_t* bytes = nullptr;  // [height · width · channels]
  };

  /// For frames of this image from now on.
  void begin(const ImageSettings& image, const Target& target, cudaStream_t stream);

  /// Device memory that drawing a chunk takes besides the circles, in bytes: per frame, per circle
  /// of a chunk, and per overlap.
  std::uint64_t fixed_bytes() const;
  std::uint64_t bytes_per_circle() const;
  static constexpr std::uint64_t kBytesPerOverlap = sizeof(Overlap);

  /// A chunk of a frame, from the front (chunk 0) to the back.
  struct Chunk {
    std::uint32_t number;
    bool is_last;
    bool is_listed;       ///< goes through bin() first
    const Shape* shapes;  // [count], device memory
    const Paint* paints;
    std::uint32_t count;
    std::uint64_t slab_capacity;      ///< overlaps that the slabs have room for, together
    std::uint64_t overflow_capacity;  ///< overlaps beyond those, of slabs with more than their part
  };
  /// Makes room for a chunk's lists (at most 2³² overlaps), and for pixels between chunks. Waits
  /// for the device if it has to grow.
  void reserve(const Chunk& chunk);
  std::uint64_t overlap_capacity() const { return overlaps_.size(); }

  /// True if a frame of so few circles is drawn fastest without lists, as one chunk.
  bool needs_no_lists(std::uint64_t circles) const;

  /// Stage tile; draws nothing.
  void bin(const Chunk& chunk, cudaStream_t stream);
  /// Stage blend.
  void blend(const Chunk& chunk, cudaStream_t stream);

  /// How far the frame has come, when everything in the stream is done. Waits for it.
  FrameProgress progress(cudaStream_t stream);
  /// After an overflow: makes the drawer ready to draw the chunk again.
  void clear_overflow(cudaStream_t stream);

  std::uint64_t bytes() const;  ///< device memory held
  const TileGrid& grid() const { return blend_.grid; }

 private:
  std::uint32_t slab_circles(std::uint64_t circles) const;

  BinCirclesArgs bin_;
  BlendTilesArgs blend_;
  DeviceBuffer<ListSegment> segments_;
  DeviceBuffer<Overlap> overlaps_;
  DeviceBuffer<FrameProgress> progress_;
  DeviceBuffer<std::uint8_t> active_subtiles_;
  DeviceBuffer<SavedPixel> states_;
  DeviceBuffer<float4> background_;
};

}  // namespace roundel::cuda
