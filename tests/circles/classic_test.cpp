#include <fstream>
#include <sstream>

#include "circles_testing.h"
#include "sha256.h"

namespace roundel {
namespace {

struct ReferenceRow {
  std::string scene;
  std::uint32_t seed = 0;
  std::int64_t frame = 0;
  std::uint64_t circles = 0;
  std::string hash;
};

std::vector<ReferenceRow> reference_rows() {
  std::ifstream file(ROUNDEL_SOURCE_DIR "/tests/circles/circles.tsv");
  std::vector<ReferenceRow> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    ReferenceRow row;
    int floats_per_circle = 0;
    fields >> row.scene >> row.seed >> row.frame >> row.circles >> floats_per_circle >> row.hash;
    if (fields && floats_per_circle == 7) rows.push_back(row);
  }
  return rows;
}

TEST(Sha256, MatchesThePublishedExamples) {
  const auto hash = [](const std::string& text) {
    return sha256(std::as_bytes(std::span<const char>(text)));
  };
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Classic, CirclesMatchTheReferenceBitForBit) {
  if (kSanitized) GTEST_SKIP() << "compares millions of numbers";
  const std::vector<ReferenceRow> rows = reference_rows();
  ASSERT_EQ(rows.size(), 42u);
  for (const ReferenceRow& row : rows) {
    SCOPED_TRACE(row.scene + " seed " + std::to_string(row.seed) + " frame " +
                 std::to_string(row.frame));
    const Scene scene = scene_of({classic_layer(row.scene)}, row.seed);
    EXPECT_EQ(count_circles(scene), row.circles);
    const std::vector<float> values = rows_of(circles_of(scene, row.frame));
    EXPECT_EQ(sha256_of(std::span<const float>(values)), row.hash);
  }
}

TEST(Classic, ReferenceCoversAllScenesExceptSnow) {
  std::vector<std::string> names = classic_names();
  EXPECT_EQ(names.size(), 14u);
  for (const ReferenceRow& row : reference_rows()) std::erase(names, row.scene);
  EXPECT_EQ(names, (std::vector<std::string>{"snow", "snowsingle"}));
}

TEST(Classic, TableMarksSimulatedScenes) {
  for (const std::string& name : classic_names()) {
    Scene scene;
    scene.layers.push_back({GeneratorSource{name, std::nullopt}});
    EXPECT_EQ(is_simulated(scene.layers[0]), CircleSource(scene).is_simulated()) << name;
  }
}

TEST(Classic, OnlySnowScenesUseTheSnowShader) {
  for (const std::string& name : classic_names()) {
    const bool snow = name == "snow" || name == "snowsingle";
    EXPECT_EQ(classic_scene(name).shader, snow ? Shader::kSnow : Shader::kSolid) << name;
  }
  EXPECT_EQ(find_classic("rand1m"), nullptr);
  EXPECT_EQ(find_classic(""), nullptr);
}

}  // namespace
}  // namespace roundel
