#include "renderer/compare/golden_names.h"

#include <gtest/gtest.h>

namespace roundel {
namespace {

TEST(GoldenNames, WindowsLacksDevicesAndSomeCharacters) {
  for (const char* const name : {"a.png", "film/0007.png", "console.png", "com.png", "com10.png",
                                 "t .png", ".a.png", "é.png"})
    EXPECT_TRUE(is_windows_name(name)) << name;
  for (const char* const name :
       {"a:b.png", "star*.png", "what?.png", "a\\b.png", "CON.png", "film/nul.png", "com7.x.png",
        "LPT1 .png", "aux/a.png", "film /a.png", "film./a.png"})
    EXPECT_FALSE(is_windows_name(name)) << name;
}

}  // namespace
}  // namespace roundel
