#pragma once
#include <cuda_runtime_api.h>

#include <string>

#include "renderer/base/error.h"

namespace roundel::cuda {

/// Throws Error(kRuntimeFailure) with CUDA's reason, the expression and its position if `status` is
/// a failure.
inline void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // else the next launch would report it
  throw Error(ExitCode::kRuntimeFailure, std::string("CUDA: ") + cudaGetErrorString(status) + " (" +
                                             cudaGetErrorName(status) + ") in " + expression +
                                             " at " + file + ":" + std::to_string(line));
}

/// Call after each launch. Builds without NDEBUG wait for the kernel and report its errors, unless
/// a graph is being captured.
inline cudaError_t launch_status([[maybe_unused]] cudaStream_t stream) {
  const cudaError_t status = cudaGetLastError();
#ifndef NDEBUG
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (status == cudaSuccess && cudaStreamIsCapturing(stream, &capture) == cudaSuccess &&
      capture == cudaStreamCaptureStatusNone)
    return cudaStreamSynchronize(stream);
#endif
  return status;
}

}  // namespace roundel::cuda

#define ROUNDEL_CUDA_CHECK(expression) \
  ::roundel::cuda::check((expression), #expression, __FILE_NAME__, __LINE__)
#define ROUNDEL_CUDA_CHECK_LAUNCH(stream) ROUNDEL_CUDA_CHECK(::roundel::cuda::launch_status(stream))
