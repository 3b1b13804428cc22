#include "renderer/explain/explain_difference.h"

#include "renderer/scene/load_scene.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::Disc;
using testing::draw_cpu;
using testing::image_of;
using testing::make_circles;
using Kind = CircleChange::Kind;

DifferenceExplanation explain(const std::vector<Disc>& a, const std::vector<Disc>& b,
                              const ImageSettings& image_a, const ImageSettings& image_b,
                              std::uint64_t list_budget = 0, std::size_t most = 1) {
  Scene scene_a, scene_b;
  InlineSource source_a, source_b;
  source_a.circles.resize(a.size());
  source_b.circles.resize(b.size());
  scene_a.layers.push_back({source_a});
  scene_b.layers.push_back({source_b});
  const CircleNumbering places_a(scene_a), places_b(scene_b);
  const Circles of_a = make_circles(a), of_b = make_circles(b);
  const Framebuffer drawn_a = draw_cpu(of_a, image_a), drawn_b = draw_cpu(of_b, image_b);
  return explain_difference({of_a, image_a, places_a, drawn_a}, {of_b, image_b, places_b, drawn_b},
                            list_budget, most);
}

/// Returns small discs all over a 200 × 100 image.
std::vector<Disc> many_discs() {
  std::vector<Disc> discs;
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x)
      discs.push_back({{0.05f * static_cast<float>(x), 0.05f * static_cast<float>(y), 0, 0.04f},
                       {0.02f * static_cast<float>(x), 0.5f, 0.04f * static_cast<float>(y), 0.5f}});
  return discs;
}

const ImageSettings kImage = image_of(200, 100);

TEST(ExplainDifference, EqualFramesHaveEqualCircles) {
  const DifferenceExplanation found = explain(many_discs(), many_discs(), kImage, kImage);
  EXPECT_EQ(found.pixels, 0U);
  EXPECT_EQ(found.changes, 0U);
  EXPECT_TRUE(found.explained.empty());
}

TEST(ExplainDifference, PlantedChangeHasTheWholeShare) {
  const std::vector<Disc> before = many_discs();
  for (const Kind kind : {Kind::kAdded, Kind::kRemoved, Kind::kChanged, Kind::kReordered}) {
    std::vector<Disc> after = before;
    std::uint32_t in_a = 410, in_b = 410;
    if (kind == Kind::kAdded) {
      after.insert(after.begin() + 410, Disc{{0.5f, 0.5f, 0, 0.05f}, {1, 1, 0, 0.5f}});
      in_a = kNoCircle;
    } else if (kind == Kind::kRemoved) {
      after.erase(after.begin() + 410);
      in_b = kNoCircle;
    } else if (kind == Kind::kChanged) {
      after[410].paint.red = 1;
    } else {
      std::rotate(after.begin() + 410, after.begin() + 411, after.end());
      in_b = static_cast<std::uint32_t>(after.size() - 1);
    }
    const DifferenceExplanation found = explain(before, after, kImage, kImage);
    ASSERT_EQ(found.explained.at(0).circles.size(), 1U) << name_of(kind);
    EXPECT_EQ(found.explained.at(0).circles[0].change.kind, kind);
    EXPECT_EQ(found.explained.at(0).circles[0].change.in_a, in_a);
    EXPECT_EQ(found.explained.at(0).circles[0].change.in_b, in_b);
    EXPECT_DOUBLE_EQ(found.explained.at(0).circles[0].share, 1);
    EXPECT_EQ(found.explained.at(0).background_share, 0);
    EXPECT_TRUE(found.in_samples);
    EXPECT_EQ(found.explained.at(0).examined, found.explained.at(0).pixels);
    EXPECT_LE(found.explained.at(0).circles[0].pixels, found.explained.at(0).examined);
    EXPECT_GE(found.explained.at(0).circles[0].pixels, found.explained.at(0).examined / 2);
  }
}

TEST(ExplainDifference, BlackCirclesAreResponsible) {
  std::vector<Disc> after = many_discs();
  after.push_back({{1, 0.5f, 0, 0.2f}, {0, 0, 0, 0.9f}});
  const DifferenceExplanation found = explain(many_discs(), after, kImage, kImage);
  ASSERT_EQ(found.explained.at(0).circles.size(), 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].change.kind, Kind::kAdded);
  EXPECT_NEAR(static_cast<double>(found.explained.at(0).pixels), 3.14159 * 20 * 20, 60);
  EXPECT_EQ(found.explained.at(0).box.x0, 80);
  EXPECT_EQ(found.explained.at(0).box.x1, 119);
  EXPECT_EQ(found.explained.at(0).box.y0, 30);
  EXPECT_EQ(found.explained.at(0).box.y1, 69);
}

TEST(ExplainDifference, CirclesThatFilterOrAddLightAreResponsible) {
  ImageSettings image = kImage;
  image.styles = {false, true, true};
  const std::vector<Disc> before = many_discs();
  for (const BlendMode mode : {BlendMode::kAdd, BlendMode::kMultiply, BlendMode::kScreen}) {
    std::vector<Disc> after = before;
    const Paint paint = with_style({0.4f, 0.5f, 0.6f, 0.9f}, mode, false);
    after.insert(after.begin() + 400, Disc{{1, 0.5f, 0, 0.2f}, paint});
    const DifferenceExplanation found = explain(before, after, image, image);
    ASSERT_EQ(found.explained.at(0).circles.size(), 1U) << name_of(mode);
    EXPECT_EQ(found.explained.at(0).circles[0].change.in_b, 400U);
    EXPECT_NEAR(found.explained.at(0).circles[0].share, 1, 1e-12);
  }
}

TEST(ExplainDifference, OnlyTheLargestClusterCounts) {
  std::vector<Disc> after = many_discs();
  after.push_back({{0.3f, 0.5f, 0, 0.05f}, {0, 0, 0, 1}});
  after.push_back({{1.5f, 0.5f, 0, 0.2f}, {0, 0, 0, 1}});
  const DifferenceExplanation found = explain(many_discs(), after, kImage, kImage);
  EXPECT_EQ(found.clusters, 2U);
  EXPECT_EQ(found.changes, 2U);
  ASSERT_EQ(found.explained.at(0).circles.size(), 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].change.in_b, after.size() - 1);
}

TEST(ExplainDifference, EachClusterHasItsOwnCircles) {
  std::vector<Disc> after = many_discs();
  for (const float x : {0.3f, 1.5f, 0.9f})
    after.push_back({{x, 0.5f, 0, 0.02f + 0.1f * x}, {0, 0, 0, 1}});
  const DifferenceExplanation found = explain(many_discs(), after, kImage, kImage, 0, 2);
  EXPECT_EQ(found.clusters, 3U);
  ASSERT_EQ(found.explained.size(), 2U);
  EXPECT_GT(found.explained[0].pixels, found.explained[1].pixels);
  EXPECT_EQ(found.explained[0].circles.at(0).change.in_b, after.size() - 2);
  EXPECT_EQ(found.explained[1].circles.at(0).change.in_b, after.size() - 1);
  EXPECT_EQ(found.explained[1].circles.size(), 1U);
}

TEST(ExplainDifference, SharesFollowTheSizeOfTheEffect) {
  // On white, outside of their overlap: one takes a third of the light, the other two thirds.
  const std::vector<Disc> after = {{{0.5f, 0.5f, 0, 0.3f}, {0, 0, 0, 0.25f}},
                                   {{1.08f, 0.5f, 0, 0.3f}, {0, 0, 0, 0.5f}}};
  const DifferenceExplanation found = explain({}, after, kImage, kImage);
  ASSERT_EQ(found.explained.at(0).circles.size(), 2U);
  EXPECT_EQ(found.clusters, 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].change.in_b, 1U);
  EXPECT_NEAR(found.explained.at(0).circles[0].share, 2.0 / 3, 0.02);
  EXPECT_NEAR(found.explained.at(0).circles[0].share + found.explained.at(0).circles[1].share, 1,
              1e-12);
}

TEST(ExplainDifference, HiddenCirclesHaveNoShare) {
  const Disc cover{{1, 0.5f, 0, 3}, {0.5f, 0.5f, 0.5f, 1}};
  const std::vector<Disc> before = {{{1, 0.5f, 0, 0.2f}, {1, 0, 0, 1}}, cover};
  std::vector<Disc> after = before;
  after[0].paint.green = 1;
  after.push_back({{0.3f, 0.5f, 0, 0.1f}, {1, 1, 1, 0.5f}});
  const DifferenceExplanation found = explain(before, after, kImage, kImage);
  EXPECT_EQ(found.changes, 2U);
  ASSERT_EQ(found.explained.at(0).circles.size(), 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].change.kind, Kind::kAdded);
}

TEST(ExplainDifference, ReportsAChangedBackground) {
  ImageSettings grey = kImage;
  grey.background = {{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
  const DifferenceExplanation found = explain(many_discs(), many_discs(), kImage, grey);
  EXPECT_TRUE(found.explained.at(0).circles.empty());
  EXPECT_EQ(found.explained.at(0).background_share, 1);
}

TEST(ExplainDifference, AlphaAloneIsADifference) {
  ImageSettings image = kImage;
  image.alpha = true;
  const std::vector<Disc> after = {{{1, 0.5f, 0, 0.2f}, {0, 0, 0, 0.5f}}};
  const DifferenceExplanation found = explain({}, after, image, image);
  ASSERT_EQ(found.explained.at(0).circles.size(), 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].share, 1);
  EXPECT_EQ(found.explained.at(0).largest, 0.5);
}

TEST(ExplainDifference, FindsFloatDifferencesBelowEightBits) {
  std::vector<Disc> after = many_discs();
  after[410].paint.green += 1e-5f;
  const DifferenceExplanation found = explain(many_discs(), after, kImage, kImage);
  EXPECT_FALSE(found.in_samples);
  ASSERT_EQ(found.explained.at(0).circles.size(), 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].change.in_b, 410U);
}

TEST(ExplainDifference, SixteenBitsShowMoreThanEight) {
  std::vector<Disc> after = many_discs();
  after[410].paint.green += 1e-4f;
  EXPECT_FALSE(explain(many_discs(), after, kImage, kImage).in_samples);
  ImageSettings words = kImage;
  words.bits = 16;
  const DifferenceExplanation found = explain(many_discs(), after, words, words);
  EXPECT_TRUE(found.in_samples);
  ASSERT_EQ(found.explained.at(0).circles.size(), 1U);
  EXPECT_EQ(found.explained.at(0).circles[0].change.in_b, 410U);
}

TEST(ExplainDifference, LittleMemoryKeepsTheResult) {
  if (kAddressSanitized) GTEST_SKIP() << "sanitizers change how much memory is needed";
  std::vector<Disc> after = many_discs();
  for (std::size_t i = 0; i < after.size(); i += 3) after[i].paint.blue = 1 - after[i].paint.blue;
  const DifferenceExplanation all = explain(many_discs(), after, kImage, kImage);
  const DifferenceExplanation little = explain(many_discs(), after, kImage, kImage, 1);
  ASSERT_GT(all.explained.at(0).circles.size(), 15U);
  ASSERT_EQ(all.explained.at(0).circles.size(), little.explained.at(0).circles.size());
  for (std::size_t i = 0; i < all.explained.at(0).circles.size(); ++i) {
    EXPECT_EQ(all.explained.at(0).circles[i].change.in_b,
              little.explained.at(0).circles[i].change.in_b);
    EXPECT_EQ(all.explained.at(0).circles[i].share, little.explained.at(0).circles[i].share);
  }
}

TEST(ExplainDifference, SamplesPixelsOfALargeCluster) {
  const ImageSettings image = image_of(640, 480);
  const std::vector<Disc> after = {{{0.5f, 0.5f, 0, 3}, {0, 0, 0, 0.5f}}};
  const DifferenceExplanation found = explain({}, after, image, image);
  EXPECT_EQ(found.explained.at(0).pixels, 640U * 480);
  EXPECT_EQ(found.explained.at(0).examined, 65536U);
  EXPECT_EQ(found.explained.at(0).circles[0].pixels, 65536U);
}

}  // namespace
}  // namespace roundel
