#include "renderer/map/moving_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace roundel {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();

const std::vector<double> kA{1, 0.1, kLargest, 3, kMissing, 0.3},
    kB{5, 0.7, -kLargest, kMissing, 3, 0.3};

std::vector<double> moved(const KeyTimes& times, const std::vector<KeyNumbers>& keys, double frame,
                          std::vector<double> starts = {}, std::size_t rows = kA.size()) {
  std::vector<double> out(rows);
  move_numbers(times, keys, starts, frame, out);
  return out;
}

TEST(MovingRows, NumbersGoFromKeyToKey) {
  const KeyTimes times{.frames = {10, 20}, .eases = {Ease::kLinear, Ease::kIn}};
  const std::vector<double> at_half = moved(times, {{kA.data()}, {kB.data()}}, 15);
  EXPECT_EQ(at_half[0], 1 + 4 * 0.25);
  EXPECT_EQ(at_half[1], 0.1 + (0.7 - 0.1) * 0.25);
  EXPECT_TRUE(std::isnan(at_half[3])) << "the next key is missing";
  EXPECT_TRUE(std::isnan(at_half[4])) << "the previous key is missing";
  EXPECT_EQ(at_half[5], 0.3);
  for (const double frame : {-1e7, 9.9, 10.0}) {
    const std::vector<double> at = moved(times, {{kA.data()}, {kB.data()}}, frame);
    for (const std::size_t row : {0U, 1U, 2U, 3U, 5U}) EXPECT_EQ(at[row], kA[row]);
  }
  EXPECT_EQ(moved(times, {{kA.data()}, {kB.data()}}, 20)[4], 3) << "exact at the key";
}

TEST(MovingRows, NumbersStayBetweenTheirKeys) {
  const KeyTimes times{.frames = {0, 3}, .eases = {Ease::kLinear, Ease::kLinear}};
  for (const double a : {0.3, 1e-300, 5e-324, 0.1, kLargest})
    for (const double b : {1.0, 5e-324, 0.7, -kLargest, 0.30000000000000004})
      for (const double frame : {1e-300, 1.0, 2.0, std::nextafter(3.0, 0.0)}) {
        const double value = moved(times, {{{}, a}, {{}, b}}, frame, {}, 1)[0];
        EXPECT_GE(value, std::min(a, b));
        EXPECT_LE(value, std::max(a, b));
      }
}

TEST(MovingRows, ColumnsMayHaveAnotherOneThanConstants) {
  const KeyTimes times{.frames = {0, 4}, .eases = {Ease::kLinear, Ease::kLinear}};
  const std::vector<double> levels{255, 0, 51};
  const std::vector<double> at = moved(times, {{levels.data(), 0, 255}, {{}, 0.5}}, 2, {}, 3);
  EXPECT_EQ(at[0], 1 + (0.5 - 1) * 0.5);
  EXPECT_EQ(at[1], 0.25);
  EXPECT_EQ(at[2], 51.0 / 255 + (0.5 - 51.0 / 255) * 0.5);
}

/// Each row by itself has the bits that it has among others, with any start.
TEST(MovingRows, StartsShiftEachRow) {
  for (const KeyPath path : {KeyPath::kLinear, KeyPath::kExponential, KeyPath::kSpline})
    for (const KeyRepeat repeat : {KeyRepeat::kNone, KeyRepeat::kLoop, KeyRepeat::kPingPong}) {
      const KeyTimes times{path,
                           repeat,
                           {0, 7, 9, 12, 15},
                           {Ease::kLinear, Ease::kOut, Ease::kHold, Ease::kInOut, Ease::kIn}};
      std::vector<double> a, b, c, starts;
      for (int row = 0; row < 900; ++row) {
        starts.push_back(row / 29.0 - 11);
        a.push_back(row % 17 + 0.3);
        b.push_back(row % 5 + 0.7);
        c.push_back(row % 91 + 0.1);
      }
      starts.insert(starts.end(), {5, -2, -4, -7, -10, 1e7, -1e7});  // at keys and far away
      for (std::vector<double>* column : {&a, &b, &c}) column->resize(starts.size(), 4);
      const std::vector<double> at =
          moved(times, {{a.data()}, {b.data()}, {c.data()}, {{}, 5}, {a.data(), 0, 3}}, 5, starts,
                starts.size());
      for (std::size_t row = 0; row < starts.size(); ++row)
        EXPECT_EQ(
            at[row],
            moved(times, {{{}, a[row]}, {{}, b[row]}, {{}, c[row]}, {{}, 5}, {{}, a[row] / 3}},
                  5 - starts[row], {}, 1)[0]);
    }
}

TEST(MovingRows, ExponentialPathsHaveAConstantFactor) {
  const KeyTimes times{KeyPath::kExponential, KeyRepeat::kNone, {0, 8}, std::vector<Ease>(2)};
  for (int frame = 0; frame <= 8; ++frame)
    EXPECT_NEAR(moved(times, {{{}, 2}, {{}, 512}}, frame, {}, 1)[0], 2 * std::pow(256, frame / 8.0),
                1e-11);
}

TEST(MovingRows, TimesTellFramesThatDiffer) {
  RowMotion motion;
  motion.numbers.push_back({{.frames = {10, 20}, .eases = std::vector<Ease>(2)}, {}, {}});
  const auto are_equal = [&](double a, double b) {
    return motion.times_at(a) == motion.times_at(b);
  };
  EXPECT_TRUE(are_equal(0, 10) && are_equal(20, 99));
  EXPECT_FALSE(are_equal(10, 11));
  motion.starts = {-5, 30};
  EXPECT_TRUE(are_equal(-9, 5) && are_equal(50, 51));
  EXPECT_FALSE(are_equal(5, 6) || are_equal(49, 50));
  EXPECT_TRUE(motion.is_constant_in({-3, 0, 5}));
  EXPECT_FALSE(motion.is_constant_in({-3, 0, 6}));
  motion.numbers[0].times.repeat = KeyRepeat::kLoop;
  EXPECT_FALSE(are_equal(50, 51));
  motion.starts = {5, 5};
  EXPECT_TRUE(are_equal(16, 26)) << "a loop of ten frames";
}

}  // namespace
}  // namespace roundel
