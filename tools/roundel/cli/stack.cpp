#include "tools/roundel/cli/stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>

namespace roundel {
namespace {

struct Call {
  int (*run)(int, char**);
  int argc;
  char** argv;
  int result = 0;
};

void* make_call(void* argument) {
  auto* call = static_cast<Call*>(argument);
  call->result = call->run(call->argc, call->argv);
  return nullptr;
}

}  // namespace

int run_with_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv) {
  // A task that blends has the state of a bin of pixels, some 50 KiB in all, on its stack.
  constexpr std::size_t kEnough = std::size_t{1} << 20, kUsual = std::size_t{8} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return run(argc, argv);
  Call call{run, argc, argv};
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kUsual);
  pthread_setattr_default_np(&attributes);
  const bool runs = pthread_create(&thread, &attributes, make_call, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!runs) return run(argc, argv);
  pthread_join(thread, nullptr);
  return call.result;
}

}  // namespace roundel
