#pragma once
#include <cuda_runtime_api.h>

#include <string>

#include "renderer/base/error.h"

namespace roundel::cuda {

/// Throws Error(kRuntimeFailure) with CUDA's reason, the expression and its place unless `status`
/// is success.
inline void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw Error(ExitCode::kRuntimeFailure, std::string("CUDA: ") + cudaGetErrorString(status) + " (" +
                                             cudaGetErrorName(status) + ") in " + expression +
                                             " at " + file + ":" + std::to_string(line));
}

}  // namespace roundel::cuda

#define ROUNDEL_CUDA_CHECK(expression) \
  ::roundel::cuda::check((expression), #expression, __FILE_NAME__, __LINE__)
