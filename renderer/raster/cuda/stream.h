#pragma once
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// A stream that does not wait for the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT: it is one

  /// Waits for all work in the stream. Threads sleep, to leave their cores to others. One thread
  /// for each device polls and wakes the others, since interrupts take longer than short frames;
  /// after a long wait an interrupt wakes the thread (docs/lab/measurements.md, "Choices of the
  /// export").
  void wait();

 private:
  int device_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t blocking_ = nullptr, polled_ = nullptr;
  std::chrono::steady_clock::duration last_wait_{};
};

/// A position in a stream. It has a time once the device reaches it, unless `flags` have
/// cudaEventDisableTiming.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) {
    ROUNDEL_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { ROUNDEL_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  /// True once the device has reached it.
  bool is_reached() const;
  /// Later work in `stream` waits for it.
  void make_wait(cudaStream_t stream) const {
    ROUNDEL_CUDA_CHECK(cudaStreamWaitEvent(stream, event_));
  }
  /// Returns milliseconds.
  double since(const Event& start) const {
    float milliseconds = 0;
    ROUNDEL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Names the thread's work for profilers.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name) { nvtxRangePushA(name); }
  ~ProfilerRange() { nvtxRangePop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace roundel::cuda
