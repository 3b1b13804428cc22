#pragma once
#include "renderer/base/error.h"

namespace roundel {

/// For what stands in for CUDA in builds without it. Throws Error(kRuntimeFailure).
[[noreturn]] inline void throw_without_cuda() {
  throw Error(ExitCode::kRuntimeFailure,
              "CUDA: this build has no CUDA backend (it was configured without nvcc)");
}

}  // namespace roundel
