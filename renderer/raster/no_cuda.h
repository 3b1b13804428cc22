#pragma once
#include "renderer/base/error.h"

namespace roundel {

/// Throws Error(kRuntimeFailure), in builds without CUDA.
[[noreturn]] inline void throw_without_cuda() {
  throw Error(ExitCode::kRuntimeFailure,
              "CUDA: this build has no CUDA backend (it was configured without nvcc)");
}

}  // namespace roundel
