#pragma once

namespace roundel {

/// The machine's measured maxima: the two ceilings of its roofline.
struct MachineLimits {
  double bytes_per_second;       ///< read and written in a large copy
  double operations_per_second;  ///< binary32, a fused multiply-add counts as one
};

/// Measures with `threads` CPU threads (0: one a core). Takes about half a second.
MachineLimits measure_cpu_limits(int threads);

/// Measures a CUDA device. Throws Error(kRuntimeFailure) if there is none or it fails.
MachineLimits measure_cuda_limits(int device);

}  // namespace roundel
