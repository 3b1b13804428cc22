// Tests the tester: it must find differences planted into a renderer.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "tests/testing.h"
#include "tools/roundel/commands/selftest.h"

namespace roundel {
namespace {

/// Draws like the CPU backend, then damages the picture.
class FaultyRasterizer final : public Rasterizer {
 public:
  using Harm = std::function<void(const Circles&, Framebuffer&)>;
  using Harm8Bit = std::function<void(Image&)>;
  FaultyRasterizer(Harm harm, Harm8Bit harm_8_bit)
      : harm_(std::move(harm)), harm_8_bit_(std::move(harm_8_bit)) {}

  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    sound_->draw(circles, image, out, stats);
    if (out.framebuffer != nullptr && harm_) harm_(*circles.in_memory(), *out.framebuffer);
    if (out.image != nullptr && harm_8_bit_) harm_8_bit_(*out.image);
  }

 private:
  std::unique_ptr<Rasterizer> sound_ = make_cpu_rasterizer({});
  Harm harm_;
  Harm8Bit harm_8_bit_;
};

class Selftest : public ::testing::Test {
 protected:
  Selftest() {
    scene_.image.width = 40;
    scene_.image.height = 30;
    constexpr std::size_t kCount = 100;
    scene_.circles = {Buffer<Shape>(kCount), Buffer<Paint>(kCount)};
    for (std::size_t i = 0; i < kCount; ++i) {
      const float x = static_cast<float>(i) / kCount;
      scene_.circles.shapes[i] = {x, 1 - x, 0, 0.2f};
      scene_.circles.paints[i] = {x, 0.5f, 0.25f, 0.3f};
    }
  }

  std::string found(FaultyRasterizer::Harm harm, FaultyRasterizer::Harm8Bit harm_8_bit = {}) {
    Variant reference{"sound", {}, make_cpu_rasterizer({})};
    Variant faulty{
        "faulty", {}, std::make_unique<FaultyRasterizer>(std::move(harm), std::move(harm_8_bit))};
    return text_of(difference_text(scene_, draw(reference, scene_), reference, faulty));
  }

  NamedScene scene_{"planted", {}, {}};
};

Pixel& pixel(Framebuffer& framebuffer, int x, int y) {
  return framebuffer.pixels[static_cast<std::size_t>(y * framebuffer.width + x)];
}

TEST_F(Selftest, PassesWithEqualBackends) {
  EXPECT_EQ(found({}), "");
}

TEST_F(Selftest, FindsOneWrongBitWithTheFewestCircles) {
  const std::string text = found([](const Circles& circles, Framebuffer& out) {
    if (circles.count() < 17) return;
    float& red = pixel(out, 12, 7).red;
    red = std::nextafter(red, 2.0f);
  });
  EXPECT_EQ(
      text.find("planted: 1 pixels differ between \"sound\" and \"faulty\", the first in column "
                "12 of row 7 from the bottom"),
      0U)
      << text;
  EXPECT_NE(text.find("the first 17 of 100 circles show it"), std::string::npos) << text;
}

TEST_F(Selftest, FindsAWrongBackground) {
  const std::string text =
      found([](const Circles&, Framebuffer& out) { pixel(out, 0, 0).blue = 0.5f; });
  EXPECT_NE(text.find("the first 0 of 100 circles show it"), std::string::npos) << text;
}

TEST_F(Selftest, FindsWrongAlphaAndNan) {
  EXPECT_NE(found([](const Circles&, Framebuffer& out) { pixel(out, 3, 3).alpha = 0.9999999f; }),
            "");
  EXPECT_NE(found([](const Circles&, Framebuffer& out) { pixel(out, 3, 3).green = NAN; }), "");
}

TEST_F(Selftest, FindsAWrongByteOfThe8BitPicture) {
  const std::string text = found({}, [](Image& out) { out.bytes[100] ^= 1; });
  EXPECT_EQ(text.find("planted: the pictures of \"sound\" and \"faulty\" differ"), 0U) << text;
}

TEST_F(Selftest, DrawsWithTheVariantsInstructionSetOnly) {
  const std::vector<std::string> sets = cpu_vector_targets();
  if (sets.size() < 2) GTEST_SKIP() << "needs two instruction sets";
  // A mistake that one set alone makes.
  const auto harm = [&](const Circles&, Framebuffer& out) {
    if (cpu_vector_target() == sets.back()) pixel(out, 1, 2).red = 7;
  };
  Variant reference{"best", {}, make_cpu_rasterizer({}), sets.front()};
  const Drawing expected = draw(reference, scene_);
  for (const std::string& set : sets) {
    Variant variant{set, {}, std::make_unique<FaultyRasterizer>(harm, nullptr), set};
    const std::string text = text_of(difference_text(scene_, expected, reference, variant));
    EXPECT_EQ(text.empty(), set != sets.back()) << text;
  }
  force_cpu_vector_target("");
}

TEST_F(Selftest, FindsAWrongByteOfThePngFile) {
  const std::string best = cpu_vector_target();
  Variant reference{"reference", {}, make_cpu_rasterizer({}), best};
  Variant variant{"variant", {}, make_cpu_rasterizer({}), best};
  Drawing expected = draw(reference, scene_);
  EXPECT_EQ(text_of(difference_text(scene_, expected, reference, variant)), "");
  expected.png.back() ^= 1;
  EXPECT_EQ(
      text_of(difference_text(scene_, expected, reference, variant)),
      "planted: the PNG files of \"reference\" and \"variant\" differ, their pixels do not\n");
  force_cpu_vector_target("");
}

TEST_F(Selftest, FindsAWrongCircle) {
  const auto copy = [&] {
    return NamedScene{
        "planted", {}, {clone_of(scene_.circles.shapes), clone_of(scene_.circles.paints)}};
  };
  EXPECT_EQ(text_of(circle_difference_text(scene_, copy(), "AVX2")), "");
  NamedScene moved = copy(), painted = copy();
  moved.circles.shapes[41].y = std::nextafter(moved.circles.shapes[41].y, 2.0f);
  painted.circles.paints[99].alpha = -0.3f;
  EXPECT_EQ(text_of(circle_difference_text(scene_, moved, "AVX2")),
            "planted: the circles differ if they are made with vectors AVX2, the first is 41\n");
  EXPECT_EQ(text_of(circle_difference_text(scene_, painted, "AVX2")),
            "planted: the circles differ if they are made with vectors AVX2, the first is 99\n");
  EXPECT_NE(text_of(circle_difference_text(scene_, {"planted", {}, {}}, "AVX2")), "");
}

TEST(SelftestScenes, AreDeterministicWithUniqueNames) {
  if (kSanitized) GTEST_SKIP() << "raster_test draws these scenes, too";
  const std::vector<NamedScene> once = selftest_scenes(), again = selftest_scenes();
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].name, again[i].name);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(once[i].name, once[j].name);
    ASSERT_EQ(once[i].circles.count(), again[i].circles.count());
    if (once[i].circles.count() == 0) continue;  // null pointers cannot be compared
    EXPECT_EQ(std::memcmp(once[i].circles.shapes.data(), again[i].circles.shapes.data(),
                          once[i].circles.count() * sizeof(Shape)),
              0)
        << once[i].name;
  }
}

}  // namespace
}  // namespace roundel
