// Compares the classic scenes with the pictures of an independent renderer (painted back to front),
// if these are beside the checkout: largest absolute difference 1e-5 on every pixel and channel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "renderer/circles/generate.h"
#include "renderer/data/table.h"
#include "renderer/image/files.h"
#include "renderer/raster/rasterizer.h"
#include "tests/testing.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
const fs::path kReference = fs::path(ROUNDEL_SOURCE_DIR) / "../shared/reference";

void expect_reference(const fs::path& picture, Rasterizer& rasterizer) {
  const std::string stem = picture.stem().string();
  char name[32];
  long long step = 0;
  Scene scene;
  ASSERT_EQ(std::sscanf(stem.c_str(), "%31[A-Za-z0-9]_%dx%d_seed%u_step%lld", name,
                        &scene.image.width, &scene.image.height, &scene.seed, &step),
            5)
      << stem;
  if (std::string_view(name) == "snow") {
    // Our flakes move differently, so the reference's own flakes are drawn.
    scene.image.background = {{0.85f, 0.85f, 0.85f}, {0.4f, 0.4f, 0.4f}};
    DataSource data;
    data.path = (kReference / "data" / ("snow_seed1_step300.npy")).string();
    data.columns = {DataColumn::kX, DataColumn::kY, DataColumn::kZ, DataColumn::kRadius};
    data.map = map_of_columns(data.columns);
    data.table = open_table(data.path);
    data.rows = data.table->rows();
    scene.layers.push_back({data, Shader::kSnow, 0.5f});
  } else {
    scene.layers.push_back({GeneratorSource{name, {}}, Shader::kSolid, 0.5f});
  }
  Framebuffer actual;
  StageStats stats;
  CircleSource source(scene);
  Circles circles;
  rasterizer.draw(source.at(step, circles), scene.image, actual, stats);
  const Framebuffer expected = read_pfm(picture.string());
  ASSERT_EQ(expected.pixels.size(), actual.pixels.size());
  float largest = 0;
  for (std::size_t i = 0; i < expected.pixels.size(); ++i) {
    const Pixel &a = actual.pixels[i], &e = expected.pixels[i];
    largest = std::max(
        {largest, std::abs(a.red - e.red), std::abs(a.green - e.green), std::abs(a.blue - e.blue)});
  }
  EXPECT_LE(largest, 1e-5f) << stem;
}

void expect_all_references(Rasterizer& rasterizer) {
  int pictures = 0;
  for (const auto& entry : fs::directory_iterator(kReference / "images")) {
    if (entry.path().extension() != ".pfm") continue;
    ++pictures;
    expect_reference(entry.path(), rasterizer);
  }
  EXPECT_GE(pictures, 18);
}

TEST(Reference, CpuMatchesEveryPicture) {
  if (kAddressSanitized) GTEST_SKIP() << "draws scenes that selftest draws, too";
  if (!fs::exists(kReference)) GTEST_SKIP() << "needs the reference pictures";
  expect_all_references(*make_cpu_rasterizer({}));
}

TEST(Reference, CudaMatchesEveryPicture) {
  if (kAddressSanitized) GTEST_SKIP() << "draws scenes that selftest draws, too";
  if (!fs::exists(kReference)) GTEST_SKIP() << "needs the reference pictures";
  if (cuda_devices().empty()) GTEST_SKIP() << "needs a GPU";
  expect_all_references(*make_cuda_rasterizer({}));
}

}  // namespace
}  // namespace roundel
