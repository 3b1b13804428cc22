#include <gtest/gtest.h>

#include "renderer/machine_options.h"

namespace roundel {
namespace {

Backend chosen_for(const DrawingCost& cost, int threads) {
  MachineOptions options;
  options.raster.threads = threads;
  return find_backend(options, cost).backend;
}

// Measured on an H200 and its host, from start to PNG.
TEST(BackendChoice, IsTheFasterOne) {
  constexpr DrawingCost kSmall{10'000, 1 << 20}, kManyPixels{1'000'000, 1 << 26},
      kManyCircles{10'000'000, 1 << 20};
  EXPECT_EQ(chosen_for(kSmall, 2), Backend::kCpu);
  EXPECT_EQ(chosen_for(kManyPixels, 2), Backend::kCpu);
  EXPECT_EQ(chosen_for(kManyPixels, 16), Backend::kCpu);
  EXPECT_EQ(chosen_for(kManyCircles, 16), Backend::kCpu);
  const bool has_device = has_cuda_backend() && !cuda_devices().empty();
  EXPECT_EQ(chosen_for(kManyCircles, 2), has_device ? Backend::kCuda : Backend::kCpu);
  EXPECT_EQ(chosen_for({100'000'000, 1 << 20}, 16), has_device ? Backend::kCuda : Backend::kCpu);
}

TEST(BackendChoice, TellsItsReason) {
  const std::string reason = find_backend({}, DrawingCost{1, 1}).reason;
  if (has_cuda_backend())
    EXPECT_EQ(reason, "about 1 ms; CUDA takes about 250 ms to start, copy and encode");
  else
    EXPECT_EQ(reason, "the module for CUDA is not installed");
}

}  // namespace
}  // namespace roundel
