#pragma once
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/image/png_file.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/png/png_stages.h"
#include "renderer/raster/cuda/stream.h"

namespace roundel::cuda {

/// Packs pictures in device memory into PNG files, byte for byte as encode_png. Keeps its memory.
class PngEncoder {
 public:
  /// True for pictures of one block (png_format.h).
  static bool can_encode(const PngShape& shape);

  /// Prepares a picture for pack_png(), always in the same stream of the thread's device. `pixels`:
  /// see PngArgs.
  const PngArgs& prepare(const std::uint8_t* pixels, const PngShape& shape, cudaStream_t stream);
  /// Enqueues a copy of the first bytes, a few more than the last picture's, limited by the file's
  /// memory. Mostly these are all.
  void copy_ahead(PngFile& file, cudaStream_t stream);
  /// Completes the file after a wait for the stream. Returns true if it enqueued missing bytes, so
  /// that another wait is needed. The file's memory grows in locked pages, which the device copies
  /// to.
  bool finish(PngFile& file, cudaStream_t stream);

  /// Device memory that is kept, and that a picture takes.
  std::uint64_t bytes() const;
  static std::uint64_t needed_bytes(const PngShape& shape);
  /// Arguments of the last picture, for tests.
  const PngArgs& args() const { return args_; }

 private:
  void make_constants(cudaStream_t stream);

  PngArgs args_;
  bool begins_early_ = false;
  std::size_t last_size_ = 0;  // data of a picture, in bytes
  std::size_t num_copied_ = 0;
  Buffer<PngState> state_copy_;
  DeviceBuffer<std::uint32_t> counts_;
  DeviceBuffer<PngCode> code_;
  DeviceBuffer<std::uint64_t> scan_words_;
  DeviceBuffer<PngState> state_;
  DeviceBuffer<std::uint32_t> stream_;
  DeviceBuffer<PngPowers> powers_;
  DeviceBuffer<std::uint32_t> chunks_;
};

}  // namespace roundel::cuda
