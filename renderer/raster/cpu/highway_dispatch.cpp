// The functions of libhwy that Highway's run-time dispatch and assertions call. That library is not
// linked: when a program starts it measures its timer's resolution, which takes 4 to 9 ms, a fifth
// of the time of a small picture.
#include <hwy/highway.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace hwy {
namespace {

std::atomic<std::int64_t> targets_for_test{0};

/// Returns the targets that this machine can run, of those that each_highway_target.h leaves in: it
/// has the instructions of HWY_TARGET_STR_*. Clang 14 cannot ask for F16C, which every processor
/// with AVX2 has.
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
  // Always with the one that every machine has, for files that are not compiled for the others.
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

// Called where an assertion inside Highway fails, in unoptimised builds and under Clang's
// sanitizers.
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
