#include "renderer/compare/golden_rules.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace roundel {
namespace {

TEST(Glob, StarsMatchAnythingAndQuestionMarksOneCharacter) {
  EXPECT_TRUE(glob_matches("snow.png", "snow.png"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*", "film/snow.png"));
  EXPECT_TRUE(glob_matches("*.png", "film/snow.png"));
  EXPECT_TRUE(glob_matches("film/*", "film/a/b.png"));
  EXPECT_TRUE(glob_matches("*o*.png", "film/snow.png"));
  EXPECT_TRUE(glob_matches("sn?w.png", "snow.png"));
  EXPECT_TRUE(glob_matches("sn?w.png", "sn\xC3\xB8w.png"));
  EXPECT_TRUE(glob_matches("a**b", "ab"));
  EXPECT_TRUE(glob_matches("*ab", "aab"));
  EXPECT_TRUE(glob_matches("", ""));

  EXPECT_FALSE(glob_matches("snow", "snow.png"));
  EXPECT_FALSE(glob_matches("snow.png", "film/snow.png"));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_FALSE(glob_matches("??", "\xC3\xB8"));
  EXPECT_FALSE(glob_matches("*.exr", "snow.png"));
  EXPECT_FALSE(glob_matches("a*b*c", "acb"));
  EXPECT_FALSE(glob_matches("", "a"));
}

TEST(Glob, OtherCharactersMatchThemselves) {
  EXPECT_TRUE(glob_matches("[a-z].png", "[a-z].png"));
  EXPECT_FALSE(glob_matches("[a-z].png", "b.png"));
  EXPECT_TRUE(glob_matches("a\\b", "a\\b"));
}

TEST(Glob, ManyStarsTakeAtMostTheProductOfTheLengths) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  pattern += "b";
  const std::string name(4000, 'a');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob_matches(pattern, name));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace roundel
