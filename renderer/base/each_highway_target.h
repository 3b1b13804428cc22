// Compiles the including file once for each of Highway's vector instruction sets; at run time the
// best set of the machine is chosen. The file must name itself first:
//   #define HWY_TARGET_INCLUDE "renderer/FOLDER/FILE.cpp"
//   #include "renderer/base/each_highway_target.h"
// It may also define HWY_DISABLED_TARGETS. No include guard: each pass includes this again.

// SSSE3 and sets above AVX3 (AVX-512) gain nothing over SSE4 and AVX3. To compile faster, builds
// with the thread sanitizer and clang-tidy have AVX2 besides the basic set; with the address
// sanitizer also AVX3, whose loads reach farthest past the end of an array.
#if defined(__aarch64__)
// arm64 has NEON only: SVE's vectors have no size, so a class cannot have members of them.
#define ROUNDEL_DISABLED_TARGETS (HWY_NEON - 1)
#elif defined(ROUNDEL_FEW_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | (HWY_AVX3 - 1))
#elif defined(ROUNDEL_WIDE_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))
#else
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#endif
// Highway finds a function by ChosenTarget::GetIndex(), which knows its file's sets. Without
// optimisation all files share one GetIndex(), so they need the same sets, or a file that lacks the
// chosen set calls a null pointer.
#ifndef __OPTIMIZE__
#undef HWY_DISABLED_TARGETS
#endif
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS ROUNDEL_DISABLED_TARGETS
#endif
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
