#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/scene_from_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (std::getenv("ROUNDEL_PRINT_SCENE") != nullptr)
    std::puts(scene_from_bytes({data, size}).c_str());
  try_scene_form(data, size);
  return 0;
}
