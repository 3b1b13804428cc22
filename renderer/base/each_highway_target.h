// Compiles the including file once for each of Highway's vector instruction sets; at run time the
// best set of the machine is chosen. The file must name itself first:
//   #define HWY_TARGET_INCLUDE "renderer/FOLDER/FILE.cpp"
//   #include "renderer/base/each_highway_target.h"
// It has no include guard, since each pass needs the functions of another set. The file may define
// HWY_DISABLED_TARGETS before, the sets to leave out.

// SSSE3 and all sets above AVX3 (AVX-512) are left out: they gain nothing over SSE4 and AVX3. Two
// builds have fewer sets to compile faster. With one kind of vectors (thread sanitizer,
// clang-tidy): AVX2 besides the basic set. For the address sanitizer: AVX2 and AVX3, whose loads
// reach farthest past the end of an array.
#if defined(ROUNDEL_FEW_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | (HWY_AVX3 - 1))
#elif defined(ROUNDEL_WIDE_TARGETS)
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))
#else
#define ROUNDEL_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#endif
// Highway finds a file's function by ChosenTarget::GetIndex(), which knows that file's sets.
// Without optimisation the linker keeps one such function for all files. Then all files must have
// the same sets, or a file that lacks the chosen set calls a null pointer.
#ifndef __OPTIMIZE__
#undef HWY_DISABLED_TARGETS
#endif
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS ROUNDEL_DISABLED_TARGETS
#endif
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
