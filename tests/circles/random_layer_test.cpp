#include <tbb/task_arena.h>

#include <cmath>
#include <functional>
#include <limits>

#include "circles_testing.h"
#include "renderer/circles/normal.h"
#include "renderer/circles/philox.h"
#include "renderer/circles/random_laws.h"
#include "sha256.h"

namespace roundel {
namespace {

Circles circles_of(const RandomSource& source, std::uint32_t seed = 1) {
  Layer layer;
  layer.source = source;
  return roundel::circles_of(scene_of({layer}, seed));
}

RandomSource varied_source(std::uint64_t count) {
  RandomSource source;
  source.count = count;
  source.position = GaussianPosition{{.4, .6}, .1};
  source.radius = UniformLaw{.002, .01};
  source.color = UniformColor{{.2f, .5f, .1f}, {.7f, 1, .5f}};
  source.alpha = GaussianLaw{.3, .1};
  source.depth = UniformLaw{.25, .75};
  return source;
}

TEST(Philox, MatchesThePublishedVectors) {
  struct Answer {
    PhiloxBlock counter;
    std::uint32_t key0, key1;
    PhiloxBlock expected;
  };
  // Random123, kat_vectors, philox4x32 with 10 rounds.
  const Answer answers[] = {
      {{{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       0xffffffff,
       0xffffffff,
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       0xa4093822,
       0x299f31d0,
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (const Answer& answer : answers) {
    const PhiloxBlock block = philox(answer.counter, answer.key0, answer.key1);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(block.words[i], answer.expected.words[i]);
  }
}

TEST(Normal, LogarithmIsWithinTwoUlps) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (std::uint32_t n = 1; n <= 1u << 24; n += n < 4096 || n > 0xfff000 ? 1 : 13) {
    const float value = static_cast<float>(n) * 0x1p-24f;
    const double exact = std::log(static_cast<double>(value));
    const double ulp = static_cast<double>(
        std::nextafter(static_cast<float>(std::fabs(exact)), std::numeric_limits<float>::max()) -
        static_cast<float>(std::fabs(exact)));
    ASSERT_NEAR(static_cast<double>(portable_log(value)), exact, 2 * ulp) << n;
  }
  EXPECT_EQ(portable_log(1.0f), 0.0f);
}

TEST(Normal, SineAndCosineAreWithinTheirBound) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  constexpr double kPi = 3.14159265358979323846;
  for (std::uint32_t n = 0; n <= 1u << 24; n += 7) {
    const float turns = static_cast<float>(n) * 0x1p-24f;
    const SinCos value = portable_sincos_turns(turns);
    ASSERT_NEAR(static_cast<double>(value.sin), std::sin(2 * kPi * static_cast<double>(turns)),
                0x1p-23);
    ASSERT_NEAR(static_cast<double>(value.cos), std::cos(2 * kPi * static_cast<double>(turns)),
                0x1p-23);
  }
}

TEST(Normal, ExtremeDrawsAreFinite) {
  const float largest = 1.0f - 0x1p-24f;
  for (const float u0 : {0.0f, 0x1p-24f, .5f, largest})
    for (const float u1 : {0.0f, .125f, .25f, .5f, .75f, largest}) {
      const NormalPair pair = normal_pair(u0, u1);
      EXPECT_LE(std::fabs(pair.first), 5.77f);
      EXPECT_LE(std::fabs(pair.second), 5.77f);
    }
}

TEST(RandomLayer, HasKnownBits) {
  const std::vector<float> rows = rows_of(circles_of(varied_source(10'000)));
  EXPECT_EQ(sha256_of(std::span<const float>(rows)),
            "8f3106747144d10f3cf3cd71cd5e82b5ac183c328422fbbd19c73e54acb55269");
}

TEST(RandomLayer, CirclesDependOnTheirIndexOnly) {
  const RandomSource source = varied_source(20'000);
  const Circles circles = circles_of(source, 9);
  const RandomLaws laws = make_random_laws(source, 9, 0, .5f);
  for (const std::size_t k : {0u, 1u, 4095u, 4096u, 12'345u, 19'999u}) {
    Shape shape{};
    Paint paint{};
    random_circle(laws, k, shape, paint);
    EXPECT_EQ(std::memcmp(&shape, &circles.shapes[k], sizeof shape), 0) << k;
    EXPECT_EQ(std::memcmp(&paint, &circles.paints[k], sizeof paint), 0) << k;
  }
  const Circles fewer = circles_of(varied_source(777), 9);
  EXPECT_EQ(std::memcmp(fewer.shapes.data(), circles.shapes.data(), 777 * sizeof(Shape)), 0);
  EXPECT_EQ(std::memcmp(fewer.paints.data(), circles.paints.data(), 777 * sizeof(Paint)), 0);
}

TEST(RandomLayer, IndicesBeyond32BitsAreDistinct) {
  const RandomLaws laws = make_random_laws(varied_source(1), 1, 0, .5f);
  Shape first{}, wrapped{};
  Paint paint{};
  random_circle(laws, 5, first, paint);
  random_circle(laws, (std::uint64_t{1} << 32) + 5, wrapped, paint);
  EXPECT_NE(first.x, wrapped.x);
}

TEST(RandomLayer, SeedsAndLayersAreIndependent) {
  const RandomSource source = varied_source(100);
  RandomSource own_seed = source;
  own_seed.seed = 2;
  Layer layer, own;
  layer.source = source;
  own.source = own_seed;
  const Circles circles = roundel::circles_of(scene_of({layer, layer, own}));
  EXPECT_NE(circles.shapes[0].x, circles.shapes[100].x);
  EXPECT_NE(circles.shapes[100].x, circles.shapes[200].x);
  EXPECT_FALSE(same_bits(circles_of(source, 1), circles_of(source, 2)));
  EXPECT_TRUE(same_bits(circles_of(own_seed, 1), circles_of(source, 2)));
}

TEST(RandomLayer, LawsDrawIndependently) {
  const Circles before = circles_of(varied_source(500));
  const std::vector<std::function<void(RandomSource&)>> changes = {
      [](RandomSource& s) { s.position = UniformPosition{}; },
      [](RandomSource& s) {
        s.radius = GaussianLaw{.01, .001};
      },
      [](RandomSource& s) {
        s.color = ConstantColor{{1, .5f, 0}};
      },
      [](RandomSource& s) { s.alpha.reset(); },
      [](RandomSource& s) { s.depth = ConstantLaw{.5}; },
  };
  const std::vector<std::function<void(RandomSource&)>> position_laws = {
      [](RandomSource& s) {
        s.position = DiscPosition{{7, 7}, 1};
      },
      [](RandomSource& s) {
        s.position = RingPosition{{7, 7}, 1, .5};
      },
      [](RandomSource& s) {
        s.position = PolylinePosition{{{7, 7}, {8, 9}, {9, 7}}, 1, 0};
      },
      [](RandomSource& s) {
        s.position = PolylinePosition{{{7, 7}, {8, 9}, {9, 7}}, 0, .1};
      },
      [](RandomSource& s) {
        s.position = GridPosition{25, 20, .5, {7, 7}, {9, 9}};
      }};
  const std::vector<std::function<void(RandomSource&)>> colors = {
      [](RandomSource& s) {
        s.color = ChoiceColor{{{2, 0, 0}, {3, 0, 0}}, {1, 1}};
      },
      [](RandomSource& s) {
        s.color = GradientColor{{{{2, 0, 0}, {3, 0, 0}}, {}}};
      }};
  std::vector<std::pair<std::function<void(RandomSource&)>, std::size_t>> all;
  for (std::size_t i = 0; i < changes.size(); ++i) all.emplace_back(changes[i], i);
  for (const auto& law : position_laws) all.emplace_back(law, 0);
  for (const auto& color : colors) all.emplace_back(color, 2);
  for (const auto& [change, changed] : all) {
    RandomSource source = varied_source(500);
    change(source);
    const Circles after = circles_of(source);
    for (std::size_t k = 0; k < after.count(); ++k) {
      const Shape &a = before.shapes[k], &b = after.shapes[k];
      const Paint &p = before.paints[k], &q = after.paints[k];
      const bool differs[] = {a.x != b.x && a.y != b.y, a.radius != b.radius, p.red != q.red,
                              p.alpha != q.alpha, a.z != b.z};
      for (std::size_t property = 0; property < std::size(differs); ++property)
        ASSERT_EQ(differs[property], property == changed) << changed << ", circle " << k;
    }
  }
}

/// Mean and standard deviation of a property over all circles.
struct Moments {
  double mean = 0, deviation = 0, low = 0, high = 0;
};

template <typename Property>
Moments moments_of(const Circles& circles, const Property& property) {
  Moments m{0, 0, property(0), property(0)};
  const auto count = static_cast<double>(circles.count());
  for (std::size_t k = 0; k < circles.count(); ++k) {
    m.mean += property(k) / count;
    m.low = std::min(m.low, property(k));
    m.high = std::max(m.high, property(k));
  }
  for (std::size_t k = 0; k < circles.count(); ++k)
    m.deviation += (property(k) - m.mean) * (property(k) - m.mean) / count;
  m.deviation = std::sqrt(m.deviation);
  return m;
}

void expect_uniform(const Moments& m, double low, double high) {
  const double deviation = (high - low) / std::sqrt(12.0);
  EXPECT_NEAR(m.mean, (low + high) / 2, 5 * deviation / 1000);
  EXPECT_NEAR(m.deviation, deviation, 5 * deviation / 1000);
  EXPECT_GE(m.low, static_cast<double>(static_cast<float>(low)));
  EXPECT_LT(m.high, static_cast<double>(static_cast<float>(high)));
  EXPECT_LT(m.low, low + 1e-4 * (high - low));
  EXPECT_GT(m.high, high - 1e-4 * (high - low));
}

void expect_normal(const Moments& m, double mean, double sigma) {
  EXPECT_NEAR(m.mean, mean, 5 * sigma / 1000);
  EXPECT_NEAR(m.deviation, sigma, 5 * sigma / 1000);
  EXPECT_LT(m.low, mean - 4 * sigma);
  EXPECT_GT(m.high, mean + 4 * sigma);
  EXPECT_GT(m.low, mean - 5.8 * sigma);
  EXPECT_LT(m.high, mean + 5.8 * sigma);
}

TEST(RandomLayer, DrawsFollowTheirLaws) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  RandomSource source = varied_source(1'000'000);
  source.radius = UniformLaw{.002, .01};
  source.alpha = UniformLaw{.1, .3};
  source.depth = GaussianLaw{.5, .05};
  const Circles c = circles_of(source);
  const auto of = [](float v) { return static_cast<double>(v); };
  const Moments x = moments_of(c, [&](std::size_t k) { return of(c.shapes[k].x); });
  const Moments y = moments_of(c, [&](std::size_t k) { return of(c.shapes[k].y); });
  expect_normal(x, .4, .1);
  expect_normal(y, .6, .1);
  expect_normal(moments_of(c, [&](std::size_t k) { return of(c.shapes[k].z); }), .5, .05);
  expect_uniform(moments_of(c, [&](std::size_t k) { return of(c.shapes[k].radius); }), .002, .01);
  expect_uniform(moments_of(c, [&](std::size_t k) { return of(c.paints[k].red); }), .2, .7);
  expect_uniform(moments_of(c, [&](std::size_t k) { return of(c.paints[k].green); }), .5, 1);
  expect_uniform(moments_of(c, [&](std::size_t k) { return of(c.paints[k].blue); }), .1, .5);
  expect_uniform(moments_of(c, [&](std::size_t k) { return of(c.paints[k].alpha); }), .1, .3);
  double correlation = 0;
  for (std::size_t k = 0; k < c.count(); ++k)
    correlation += (of(c.shapes[k].x) - .4) * (of(c.shapes[k].y) - .6) / .01 / 1e6;
  EXPECT_NEAR(correlation, 0, 5e-3);
}

TEST(RandomLayer, UniformDrawsStayBelowTheirBound) {
  RandomSource source;
  source.count = 1'000'000;
  source.position = UniformPosition{{999'999, -1e6}, {1'000'000, -999'999}};  // ulp: 1/16
  const Circles circles = circles_of(source);
  for (const Shape& shape : circles.shapes) {
    ASSERT_GE(shape.x, 999'999.0f);
    ASSERT_LT(shape.x, 1'000'000.0f);
    ASSERT_LT(shape.y, -999'999.0f);
  }
}

TEST(RandomLayer, UsesTheDefaultsOfScenes) {
  RandomSource source;
  source.count = 1000;
  const Circles circles = circles_of(source);
  for (std::size_t k = 0; k < circles.count(); ++k) {
    EXPECT_EQ(circles.shapes[k].radius, .01f);
    EXPECT_EQ(circles.shapes[k].z, 0);
    EXPECT_EQ(circles.paints[k].red, 0);
    EXPECT_EQ(circles.paints[k].alpha, .5f);
    EXPECT_GE(circles.shapes[k].x, 0);
    EXPECT_LT(circles.shapes[k].x, 1);
  }
}

TEST(RandomLayer, AlphaAndDepthAreClamped) {
  RandomSource source = varied_source(10'000);
  source.alpha = GaussianLaw{.5, 2};
  source.depth = GaussianLaw{.5, 2};
  const Circles circles = circles_of(source);
  int zeros = 0, ones = 0;
  for (std::size_t k = 0; k < circles.count(); ++k) {
    for (const float value : {circles.paints[k].alpha, circles.shapes[k].z}) {
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 1);
      zeros += value == 0;
      ones += value == 1;
    }
  }
  EXPECT_GT(zeros, 1000);
  EXPECT_GT(ones, 1000);
}

TEST(RandomLayer, RadiiOfAtMostZeroCoverNothing) {
  RandomSource source = varied_source(10'000);
  source.radius = GaussianLaw{0, .01};
  Layer layer;
  layer.source = source;
  Layer snow = layer;
  snow.shader = Shader::kSnow;
  const Circles circles = roundel::circles_of(scene_of({layer, snow}));
  int empty = 0;
  for (std::size_t k = 0; k < circles.count(); ++k) {
    ASSERT_GT(circles.shapes[k].radius, 0);
    if (circles.shapes[k].radius > kEmptyRadius) continue;
    ++empty;
    ASSERT_EQ(circles.paints[k].alpha, 0);
    ASSERT_EQ(std::signbit(circles.paints[k].alpha), k >= source.count);
  }
  EXPECT_NEAR(empty, 10'000, 500);
}

/// The uniform numbers of circle k's position, and the first one of its colour.
struct Words {
  double u0, u1, of_color;
};
Words words_of(std::uint64_t k, std::uint32_t seed = 1) {
  const auto low = static_cast<std::uint32_t>(k);
  const PhiloxBlock block = philox({{low, 0, 0, 0}}, seed, 0);
  const PhiloxBlock color = philox({{low, 0, 1, 0}}, seed, 0);
  return {(block.words[0] >> 8) * 0x1p-24, (block.words[1] >> 8) * 0x1p-24,
          (color.words[0] >> 8) * 0x1p-24};
}

Circles circles_at(const PositionLaw& position, std::uint64_t count = 20'000) {
  RandomSource source;
  source.count = count;
  source.position = position;
  return circles_of(source);
}

constexpr double kPi = 3.14159265358979323846;

TEST(RandomPositions, DiscsAndRingsAreFilledEvenly) {
  const Circles disc = circles_at(DiscPosition{{3, -2}, .5});
  const Circles ring = circles_at(RingPosition{{3, -2}, .5, .2});
  const Circles line = circles_at(RingPosition{{3, -2}, .5, 0});
  const Circles whole = circles_at(RingPosition{{3, -2}, .5, .5});
  for (std::size_t k = 0; k < disc.count(); ++k) {
    const Words words = words_of(k);
    const double angle = 2 * kPi * words.u1;
    const auto check = [&](const Circles& circles, double distance) {
      ASSERT_NEAR(circles.shapes[k].x, 3 + distance * std::cos(angle), 1e-6) << k;
      ASSERT_NEAR(circles.shapes[k].y, -2 + distance * std::sin(angle), 1e-6) << k;
    };
    check(disc, .5 * std::sqrt(words.u0));
    check(ring, std::sqrt(.09 + words.u0 * (.25 - .09)));
    check(line, .5);
  }
  EXPECT_TRUE(same_bits(disc, whole));
}

TEST(RandomPositions, PolylinesAreFollowedEvenly) {
  const PolylinePosition law{{{0, 0}, {3, 0}, {3, 0}, {3, 1}}, 0, 0};
  PolylinePosition wide = law;
  wide.width = .5;
  const Circles thin = circles_at(law), band = circles_at(wide);
  std::size_t beyond_corner = 0;
  for (std::size_t k = 0; k < thin.count(); ++k) {
    const Words words = words_of(k);
    const double along = 4 * words.u0, across = (words.u1 - .5) * .5;
    const bool is_first = along < 3;
    ASSERT_NEAR(thin.shapes[k].x, is_first ? along : 3, 1e-6) << k;
    ASSERT_NEAR(thin.shapes[k].y, is_first ? 0 : along - 3, 1e-6) << k;
    // Across points up, and turns left by 45 degrees until the joint, where it is longer.
    const double t = is_first ? along / 3 : along - 3;
    const double left = is_first ? t : 1, up = is_first ? 1 : 1 - t;
    ASSERT_NEAR(band.shapes[k].x, (is_first ? along : 3) - left * across, 1e-6) << k;
    ASSERT_NEAR(band.shapes[k].y, (is_first ? 0 : along - 3) + up * across, 1e-6) << k;
    if (band.shapes[k].x > 3.2f && band.shapes[k].y < -.2f) ++beyond_corner;
  }
  EXPECT_GT(beyond_corner, 0u) << "the outer corner is there";
}

TEST(RandomPositions, CloudsSurroundTheEndsOfPolylines) {
  const Circles line = circles_at(PolylinePosition{{{0, 0}, {1, 0}}, 0, 0}, 100'000);
  const Circles cloud = circles_at(PolylinePosition{{{0, 0}, {1, 0}}, 0, .1}, 100'000);
  const auto x = [&](std::size_t k) {
    return static_cast<double>(cloud.shapes[k].x - line.shapes[k].x);
  };
  const auto y = [&](std::size_t k) {
    return static_cast<double>(cloud.shapes[k].y - line.shapes[k].y);
  };
  for (const Moments& m : {moments_of(cloud, x), moments_of(cloud, y)}) {
    EXPECT_NEAR(m.mean, 0, .0015);
    EXPECT_NEAR(m.deviation, .1, .001);
    EXPECT_LT(m.low, -.35);
    EXPECT_GT(m.high, .35);
  }
}

TEST(RandomPositions, GridsGoRowByRow) {
  RandomSource source;
  source.count = 12;
  source.position = GridPosition{4, 3, 0, {1, 2}, {5, 8}};
  const Circles exact = circles_of(source);
  source.position = GridPosition{4, 3, 1, {1, 2}, {5, 8}};
  const Circles jittered = circles_of(source);
  for (std::size_t k = 0; k < 12; ++k) {
    const auto column = static_cast<double>(k % 4), row = static_cast<double>(k / 4);
    EXPECT_EQ(exact.shapes[k].x, static_cast<float>(1.5 + column));
    EXPECT_EQ(exact.shapes[k].y, static_cast<float>(3 + 2 * row));
    EXPECT_NEAR(jittered.shapes[k].x, 1 + column + words_of(k).u0, 1e-6);
    EXPECT_NEAR(jittered.shapes[k].y, 2 + 2 * (row + words_of(k).u1), 1e-6);
  }
}

TEST(RandomColors, ChoicesFollowTheirWeights) {
  RandomSource source;
  source.count = 100'000;
  source.color = ChoiceColor{{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}}, {5, 0, 3, 0}};
  const Circles circles = circles_of(source);
  std::size_t first = 0;
  for (std::size_t k = 0; k < circles.count(); ++k) {
    const float expected = words_of(k).of_color * 8 < 5 ? 1 : 3;
    ASSERT_EQ(circles.paints[k].red, expected) << k;
    first += expected == 1;
  }
  EXPECT_NEAR(static_cast<double>(first) / 100'000, 5. / 8, .01);
}

TEST(RandomColors, GradientsMatchTheColourMaps) {
  RandomSource source;
  source.count = 10'000;
  const Gradient gradient{{{0, .5, 1}, {1, .25, 0}}, {.25, .5}};
  source.color = GradientColor{gradient};
  const Circles circles = circles_of(source);
  for (std::size_t k = 0; k < circles.count(); ++k) {
    const double t = std::clamp((words_of(k).of_color - .25) / .25, 0., 1.);
    ASSERT_EQ(circles.paints[k].red, static_cast<float>(t));
    ASSERT_EQ(circles.paints[k].green, static_cast<float>(.5 - .25 * t));
    ASSERT_EQ(circles.paints[k].blue, static_cast<float>(1 - t));
  }
}

}  // namespace
}  // namespace roundel
