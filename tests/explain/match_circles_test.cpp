#include "renderer/explain/match_circles.h"

#include <algorithm>

#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::Disc;
using testing::make_circles;
using Kind = CircleChange::Kind;

/// Returns one layer of `count` inline circles; only their number matters here.
CircleNumbering one_layer(std::size_t count) {
  Scene scene;
  InlineSource source;
  source.circles.resize(count);
  scene.layers.push_back({source});
  return CircleNumbering(scene);
}

std::vector<CircleChange> changes(const std::vector<Disc>& a, const std::vector<Disc>& b) {
  return match_circles(make_circles(a), one_layer(a.size()), make_circles(b), one_layer(b.size()));
}

bool has(const std::vector<CircleChange>& found, const CircleChange& expected) {
  return std::any_of(found.begin(), found.end(), [&](const CircleChange& change) {
    return change.kind == expected.kind && change.in_a == expected.in_a &&
           change.in_b == expected.in_b;
  });
}

/// Returns discs that differ from each other in every field.
std::vector<Disc> discs(std::size_t count) {
  std::vector<Disc> list(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float f = static_cast<float>(i + 1) / 1000;
    list[i] = {{f, 2 * f, 3 * f, 4 * f}, {5 * f, 6 * f, 7 * f, 0.1f + f}};
  }
  return list;
}

TEST(MatchCircles, EqualFramesHaveNoChanges) {
  EXPECT_TRUE(changes({}, {}).empty());
  EXPECT_TRUE(changes(discs(50), discs(50)).empty());
}

TEST(MatchCircles, InsertedCircleIsTheOnlyChange) {
  for (const std::ptrdiff_t at : {0, 20, 50}) {
    std::vector<Disc> longer = discs(50);
    longer.insert(longer.begin() + at, Disc{{9, 9, 9, 9}, {9, 9, 9, 0.9f}});
    const auto number = static_cast<std::uint32_t>(at);
    const auto added = changes(discs(50), longer);
    ASSERT_EQ(added.size(), 1U);
    EXPECT_TRUE(has(added, {Kind::kAdded, kNoCircle, number}));
    const auto removed = changes(longer, discs(50));
    ASSERT_EQ(removed.size(), 1U);
    EXPECT_TRUE(has(removed, {Kind::kRemoved, number, kNoCircle}));
  }
}

TEST(MatchCircles, RemovedDuplicateMayBeAnyOne) {
  const std::vector<Disc> many(10, discs(1)[0]), fewer(9, discs(1)[0]);
  const auto found = changes(many, fewer);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kRemoved);
}

TEST(MatchCircles, RecognisesChangedValuesAfterShiftedNumbers) {
  for (const int field : {0, 1, 2, 3}) {  // position, radius, colour, alpha
    std::vector<Disc> other = discs(50);
    Disc& disc = other[30];
    (field == 0   ? disc.shape.x
     : field == 1 ? disc.shape.radius
     : field == 2 ? disc.paint.red
                  : disc.paint.alpha) = 0.75f;
    const auto in_place = changes(discs(50), other);
    ASSERT_EQ(in_place.size(), 1U) << field;
    EXPECT_TRUE(has(in_place, {Kind::kChanged, 30, 30})) << field;
    other.erase(other.begin() + 10);
    const auto shifted = changes(discs(50), other);
    ASSERT_EQ(shifted.size(), 2U) << field;
    EXPECT_TRUE(has(shifted, {Kind::kChanged, 30, 29})) << field;
    EXPECT_TRUE(has(shifted, {Kind::kRemoved, 10, kNoCircle})) << field;
  }
}

TEST(MatchCircles, CircleWithAllValuesChangedMatchesByPosition) {
  std::vector<Disc> other = discs(50);
  other[7] = {{9, 9, 9, 9}, {9, 9, 9, 0.9f}};
  const auto found = changes(discs(50), other);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(has(found, {Kind::kChanged, 7, 7}));
}

TEST(MatchCircles, FewestMovesExplainAnotherOrder) {
  std::vector<Disc> other = discs(50);
  std::rotate(other.begin() + 10, other.begin() + 11, other.begin() + 40);  // 10 moves to 39
  const auto found = changes(discs(50), other);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(has(found, {Kind::kReordered, 10, 39}));
  std::vector<Disc> swapped = discs(50);
  std::swap(swapped[3], swapped[4]);
  EXPECT_EQ(changes(discs(50), swapped).size(), 1U);
  std::vector<Disc> reversed = discs(50);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(changes(discs(50), reversed).size(), 49U);  // one may keep its place
}

TEST(MatchCircles, UnrelatedFramesAreAllAddedRemovedOrChanged) {
  std::vector<Disc> other = discs(30);
  for (Disc& disc : other) {
    disc.shape.x += 10, disc.shape.radius += 10, disc.paint.red += 10;
  }
  const auto found = changes(discs(50), other);
  EXPECT_EQ(found.size(), 50U);
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const CircleChange& c) { return c.kind == Kind::kRemoved; }),
            20);
}

}  // namespace
}  // namespace roundel
