#pragma once
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/image/png_file.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/png/png_stages.h"
#include "renderer/raster/cuda/stream.h"

namespace roundel::cuda {

/// Packs pictures in a device's memory into PNG files, the same bytes as encode_png's. Keeps its
/// memory between pictures.
class PngEncoder {
 public:
  /// Pictures that are one block of png_format.h.
  static bool can_encode(const PngShape& shape);

  /// Gets ready for a picture; pack_png() with what this returns packs it, in a stream of the
  /// calling thread's device, always the same one. `pixels`: see PngArgs.
  const PngArgs& prepare(const std::uint8_t* pixels, const PngShape& shape, cudaStream_t stream);
  /// Then puts a copy of the first bytes into the stream, a few more than the last picture had, as
  /// far as the file's memory has room for them: mostly these are all.
  void copy_ahead(PngFile& file, cudaStream_t stream);
  /// Once the stream has been waited for: makes the file, behind its head. True where the stream
  /// has to be waited for again, since a copy of what was missing was put into it. The file's
  /// memory grows as it has to, in locked pages, so that the device copies to it.
  bool finish(PngFile& file, cudaStream_t stream);

  /// Device memory that is kept, and that a picture takes.
  std::uint64_t bytes() const;
  static std::uint64_t needed_bytes(const PngShape& shape);
  /// What the stages of the last picture worked with, for tests.
  const PngArgs& args() const { return args_; }

 private:
  void make_constants(cudaStream_t stream);

  PngArgs args_;
  bool begins_early_ = false;
  std::size_t last_size_ = 0;  // of a picture's data, in bytes
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
