#include "renderer/scene/scene_spec.h"

#include <fstream>
#include <sstream>

#include "tests/scene/testing.h"

namespace roundel {
namespace {

TEST(Schema, CommittedFileMatchesTheLoader) {
  std::ifstream file(kSceneFolder / "scene.schema.json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), scene_json_schema())
      << "write it anew: roundel schema > scenes/scene.schema.json";
}

// check_schema.py tests the schema.
TEST(Schema, LoaderAcceptsValuesAtTheLimits) {
  EXPECT_NO_THROW(load_scene(ROUNDEL_SOURCE_DIR "/tests/scene/good_values.yaml"));
}

}  // namespace
}  // namespace roundel
