// Every scene of scenes/ at 96 × 96 against a stored picture, pixel for pixel, on every backend.
//   ROUNDEL_UPDATE_GOLDENS=1 golden_test    stores what is rendered now; such a run never passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "renderer/image/compare.h"
#include "renderer/image/files.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = ROUNDEL_SOURCE_DIR;
constexpr int kSide = 96;

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kSource / "scenes"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Image render(const std::string& name, Rasterizer& rasterizer) {
  const Scene scene = load_scene((kSource / "scenes" / (name + ".yaml")).string(),
                                 {.width = kSide, .height = kSide, .seed = {}});
  Image image;
  StageStats stats;
  FrameRenderer(scene, rasterizer).render(scene.default_frame(), image, stats);
  return image;
}

class Golden : public ::testing::TestWithParam<std::string> {};

void expect_golden(const std::string& name, Rasterizer& rasterizer) {
  const fs::path golden = kSource / "tests/golden/images" / (name + ".png");
  const Image actual = render(name, rasterizer);
  const char* update = std::getenv("ROUNDEL_UPDATE_GOLDENS");
  if (update != nullptr && *update == '1') {
    write_file_atomically(golden.string(), encode_png(actual, {"roundel", "", 0, 0}));
    FAIL() << golden << " was stored; run again without ROUNDEL_UPDATE_GOLDENS";
  }
  ASSERT_TRUE(fs::exists(golden)) << "run with ROUNDEL_UPDATE_GOLDENS=1 to store it";
  const Difference difference = compare(read_png(golden.string()), actual);
  if (difference.same()) return;
  const std::string kept = name + ".actual.png";
  write_file_atomically(kept, encode_png(actual, {"roundel", "", 0, 0}));
  FAIL() << golden << ": " << describe(difference) << "\nto accept: cp " << fs::absolute(kept)
         << " " << golden;
}

TEST_P(Golden, CpuPictureIsTheStoredOne) {
  expect_golden(GetParam(), *make_cpu_rasterizer({}));
}

TEST_P(Golden, CudaPictureIsTheStoredOne) {
  if (cuda_devices().empty()) {
    const char* required = std::getenv("ROUNDEL_REQUIRE_CUDA");
    if (required != nullptr && *required == '1') FAIL() << "a CUDA device is required";
    GTEST_SKIP() << "no CUDA device";
  }
  expect_golden(GetParam(), *make_cuda_rasterizer({}));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Golden, ::testing::ValuesIn(scene_names()), [](const auto& scene) {
  std::string name = scene.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace roundel
