#pragma once
/// Marks functions of both backends: the host compiler (-ffp-contract=off) and nvcc (--fmad=false)
/// run the same binary32 operations.
#ifdef __CUDACC__
#define ROUNDEL_HOST_DEVICE __host__ __device__
/// Forces inlining, which keeps vectors in registers.
#define ROUNDEL_INLINE_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define ROUNDEL_HOST_DEVICE
#define ROUNDEL_INLINE_HOST_DEVICE inline __attribute__((always_inline))
#endif
