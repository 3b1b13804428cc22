#pragma once
/// Marks the functions that both backends compile: the CPU backend with the host compiler
/// (-ffp-contract=off), the CUDA backend with nvcc (--fmad=false), so that both run the same
/// sequence of binary32 operations.
#ifdef __CUDACC__
#define ROUNDEL_HOST_DEVICE __host__ __device__
/// Those that are to be inlined whatever the compiler thinks: vectors then stay in registers.
#define ROUNDEL_INLINE_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define ROUNDEL_HOST_DEVICE
#define ROUNDEL_INLINE_HOST_DEVICE inline __attribute__((always_inline))
#endif
