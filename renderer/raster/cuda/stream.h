#pragma once
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// A stream that does not wait for the default one.
class Stream {
 public:
  Stream() { ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() {
    if (end_ != nullptr) cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT: it is one

  /// Until the device has come to its end. The thread sleeps: others have use for its processor.
  void wait() {
    constexpr unsigned kFlags = cudaEventBlockingSync | cudaEventDisableTiming;
    if (end_ == nullptr) ROUNDEL_CUDA_CHECK(cudaEventCreateWithFlags(&end_, kFlags));
    ROUNDEL_CUDA_CHECK(cudaEventRecord(end_, stream_));
    ROUNDEL_CUDA_CHECK(cudaEventSynchronize(end_));
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// A place in a stream whose time is known once the device has come to it.
class Event {
 public:
  Event() { ROUNDEL_CUDA_CHECK(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { ROUNDEL_CUDA_CHECK(cudaEventRecord(event_, stream)); }
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
