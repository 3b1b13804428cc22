#include <gtest/gtest.h>

#include "renderer/base/module.h"

namespace roundel {
namespace {

TEST(CudaModule, LoadsOnMachinesWithoutADriver) {
  EXPECT_NE(find_module_function("libroundel_cuda.so", "roundel_cuda_functions"), nullptr);
}

}  // namespace
}  // namespace roundel
