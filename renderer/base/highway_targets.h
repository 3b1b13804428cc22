#pragma once

// The instruction sets that no vector code is compiled for, for HWY_DISABLED_TARGETS: SSSE3 and
// AVX3_DL bring nothing over SSE4 and AVX3 (AVX-512). Where code is to be compiled soon and one
// kind of vectors is enough (thread sanitizer, clang-tidy), only AVX2 is left besides the scalar
// code.
#ifdef ROUNDEL_FEW_TARGETS
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#else
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
