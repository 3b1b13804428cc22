// Replaces the functions of libhwy that Highway's dispatch and assertions call. libhwy measures its
// timer's resolution at a program's start, which takes 4 to 9 ms, a fifth of a small picture's
// time.
#include <hwy/highway.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace hwy {
namespace {

std::atomic<std::int64_t> targets_for_test{0};

/// Returns the supported targets among those of each_highway_target.h, by the instructions of
/// Highway's HWY_TARGET_STR_*. Every processor with AVX2 has F16C, which Clang 14 cannot test for.
std::int64_t detect_targets() {
  std::int64_t targets = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
      __builtin_cpu_supports("aes")) {
    targets |= HWY_SSSE3 | HWY_SSE4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
      targets |= HWY_AVX2;
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512cd"))
        targets |= HWY_AVX3;
    }
  }
#endif
  return targets;
}

}  // namespace

std::int64_t SupportedTargets() {
  static const std::int64_t detected = detect_targets();
  const std::int64_t for_test = targets_for_test;
  // Keeps every machine's target, for files that are compiled only for it.
  return for_test != 0 ? for_test | HWY_STATIC_TARGET : detected;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

void SetSupportedTargetsForTest(std::int64_t targets) {
  targets_for_test = targets;
  GetChosenTarget().DeInit();
}

// Called if an assertion inside Highway fails, in unoptimised builds and under Clang's sanitizers.
void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: ", file, line);
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace hwy
