#include "renderer/scene/schema.h"

#include <fstream>
#include <sstream>

#include "tests/scene/testing.h"

namespace roundel {
namespace {

TEST(Schema, TheCommittedFileIsTheLoadersOwn) {
  std::ifstream file(kSceneFolder / "scene.schema.json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), scene_json_schema())
      << "write it anew: roundel schema > scenes/scene.schema.json";
}

}  // namespace
}  // namespace roundel
