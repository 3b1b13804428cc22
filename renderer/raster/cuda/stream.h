#pragma once
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// A stream that does not wait for the default one.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT: it is one

  /// Until the device has come to its end. Threads sleep meanwhile: others have use for their
  /// processors. One of each device's looks now and then, and wakes the others, as interrupts take
  /// longer than short frames; after a long wait it is an interrupt that wakes the thread
  /// (docs/lab/measurements.md, "Choices of the export").
  void wait();

 private:
  int device_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t wakes_ = nullptr, looked_at_ = nullptr;
  std::chrono::steady_clock::duration last_wait_{};
};

/// A place in a stream. Its time is known once the device has come to it, unless `flags` have
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
  /// True once the device has come there.
  bool has_come() const;
  /// What is put into `stream` from now on waits until then.
  void hold_back(cudaStream_t stream) const {
    ROUNDEL_CUDA_CHECK(cudaStreamWaitEvent(stream, event_));
  }
  /// Milliseconds since another event.
  double since(const Event& start) const {
    float milliseconds = 0;
    ROUNDEL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Names what the thread does until it is destroyed, for profilers.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name) { nvtxRangePushA(name); }
  ~ProfilerRange() { nvtxRangePop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace roundel::cuda
