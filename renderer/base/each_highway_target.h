// Compiles the file that includes this once for each of Highway's vector instruction sets; the best
// one that the machine has is chosen when the program runs. The file says before who it is:
//   #define HWY_TARGET_INCLUDE "renderer/FOLDER/FILE.cpp"
//   #include "renderer/base/each_highway_target.h"
// No include guard: each time the file is compiled it needs the functions of another set. Sets that
// it is not to be compiled for are HWY_DISABLED_TARGETS, which it may define before.

// Left out: SSSE3 and all sets better than AVX3 (AVX-512), which bring nothing over SSE4 and AVX3.
// Builds that are to be compiled soon have only AVX2 besides the machine's basic set where one kind
// of vectors is enough (thread sanitizer, clang-tidy), or AVX2 and AVX3, whose loads reach farthest
// past the end of an array (address sanitizer).
#if defined(ROUNDEL_FEW_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | (HWY_AVX3 - 1))
#elif defined(ROUNDEL_WIDE_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))
#else
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#endif
// Highway finds a file's function by ChosenTarget::GetIndex(), which knows that file's sets.
// Compilers that do not optimise make it one function for all files: these must have the same sets
// then, or a file without the chosen one calls a null pointer.
#ifndef __OPTIMIZE__
#undef HWY_DISABLED_TARGETS
#endif
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS ROUNDEL_DISABLED_TARGETS
#endif
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
