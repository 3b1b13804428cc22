#pragma once

// The instruction sets that no vector code is compiled for, for HWY_DISABLED_TARGETS: SSSE3 and
// AVX3_DL bring nothing over SSE4 and AVX3 (AVX-512). Builds that are to be compiled soon have only
// AVX2 besides the scalar code where one kind of vectors is enough (thread sanitizer, clang-tidy),
// or AVX2 and AVX3, whose loads reach farthest past the end of an array (address sanitizer).
#if defined(ROUNDEL_FEW_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#elif defined(ROUNDEL_WIDE_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#else
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
