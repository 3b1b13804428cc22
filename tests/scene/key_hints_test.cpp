#include "renderer/format/key_hints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scene/testing.h"

namespace roundel {
namespace {

TEST(OtherWords, AreKnownKeysOfTheObject) {
  const std::vector<std::string> color = {"column",   "scale",      "domain",
                                          "colormap", "categories", "missing"};
  EXPECT_EQ(suggested_key("cmap", color), "colormap");
  EXPECT_EQ(suggested_key("norm", color), "scale");
  EXPECT_EQ(suggested_key("vmin", color), "domain");
  EXPECT_EQ(suggested_key("CLim", color), "domain");
  EXPECT_EQ(suggested_key("domian", color), "domain");
  EXPECT_EQ(suggested_key("flavour", color), "");
  EXPECT_EQ(suggested_key("", color), "");
  const std::vector<std::string> circle = {"x", "y", "z", "radius", "color", "alpha"};
  EXPECT_EQ(suggested_key("r", circle), "radius");
  EXPECT_EQ(suggested_key("s", circle), "radius");
  EXPECT_EQ(suggested_key("c", circle), "color");
  EXPECT_EQ(suggested_key("colour", circle), "color");
  EXPECT_EQ(suggested_key("opacity", circle), "alpha");
  EXPECT_EQ(suggested_key("x:0.5", circle), "x: 0.5");
  EXPECT_EQ(suggested_key("x:\x1b", circle), "x: \\x1b");
  EXPECT_EQ(suggested_key("x:" + std::string(100, '1'), circle), "");
  EXPECT_EQ(suggested_key("f:0.5", circle), "");
  EXPECT_EQ(suggested_key("2s", {"keys", "ease"}), "keys: {FRAME: VALUE, ...}");
  EXPECT_EQ(suggested_key("2s", circle), "");
  EXPECT_EQ(suggested_key("w", {"width", "height"}), "width");
  EXPECT_EQ(suggested_key("cmap", {"width", "height"}), "");
}

/// Returns the hint, from "(" on, in the error about a scene with this line.
std::string suggestion_of(const std::string& line) {
  const std::string message =
      message_of([&] { parse_scene("version: 1\nlayers: []\n" + line + "\n", "s.yaml"); });
  return message.substr(std::min(message.find('('), message.size()));
}

TEST(OtherWords, SuggestWhereAKeyBelongs) {
  EXPECT_EQ(suggestion_of("width: 300"), "(did you mean \"image: {width: 1024, height: 1024}\"?)");
  EXPECT_EQ(suggestion_of("bg: 0"), "(did you mean \"image: {background: COLOUR}\"?)");
  EXPECT_EQ(suggestion_of("xlim: [0, 1]"),
            "(did you mean \"view: {x: [LOW, HIGH], y: [LOW, HIGH]}\"?)");
  EXPECT_EQ(suggestion_of("antialias: true"), "(did you mean \"image: {antialias: true}\"?)");
  EXPECT_EQ(suggestion_of("fps: 24"), "(did you mean \"animation: {fps: 30, frames: 60}\"?)");
  EXPECT_EQ(suggestion_of("image: {figsize: [3, 4]}"),
            "(did you mean \"width: 1024, height: 1024\"?)");
  EXPECT_EQ(suggestion_of("view: {xlim: [0, 1]}"), "(did you mean \"x: [LOW, HIGH]\"?)");
}

TEST(OtherWords, SuggestHexadecimalColours) {
  EXPECT_EQ(color_hint("red"), "write \"#ff0000\"");
  EXPECT_EQ(color_hint("SteelBlue"), "write \"#4682b4\"");
  EXPECT_EQ(color_hint("#f80"), "write \"#ff8800\"");
  EXPECT_EQ(color_hint("e63946"), "write \"#e63946\"");
  EXPECT_EQ(color_hint("#F808"), "write \"#ff8800\"; alpha has its own key");
  EXPECT_EQ(color_hint("#ff880080"), "write \"#ff8800\"; alpha has its own key");
  for (const char* const text : {"", "#", "#12", "#12345", "#ggg", "mass", "add", "viridis"})
    EXPECT_EQ(color_hint(text), "") << text;
  EXPECT_EQ(suggestion_of("image: {background: [1, 0, 0, 1]}"), "(alpha has its own key)");
  EXPECT_EQ(suggestion_of("image: {background: black}"), "(write \"#000000\")");
}

}  // namespace
}  // namespace roundel
