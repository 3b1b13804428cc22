#pragma once

namespace roundel {

/// The most that a machine does, measured here and now: the two ceilings of its roofline.
struct MachineLimits {
  double bytes_per_second;       ///< of a large copy, read and written
  double operations_per_second;  ///< binary32, a fused multiply-add counts as one
};

/// With `threads` CPU threads (0: one a core). Takes about half a second.
MachineLimits measure_cpu_limits(int threads);

/// Of a CUDA device. Throws Error(kRuntimeFailure) if there is none or it fails.
MachineLimits measure_cuda_limits(int device);

}  // namespace roundel
