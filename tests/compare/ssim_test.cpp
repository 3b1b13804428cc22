#include "renderer/compare/ssim.h"

#include <cmath>

#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

double luma_of(const Picture& picture, int x, int y) {
  const std::uint8_t* rgb = &picture.bytes[sample_at(picture, x, y, 0)];
  return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
}

/// As in the paper: levels 0 to 255, window by window.
double plain_similarity(const Picture& a, const Picture& b) {
  double weights[11][11], total = 0, sum = 0;
  for (int j = 0; j < 11; ++j)
    for (int i = 0; i < 11; ++i)
      total += weights[j][i] = std::exp(-((i - 5) * (i - 5) + (j - 5) * (j - 5)) / (2 * 1.5 * 1.5));
  int windows = 0;
  for (int y = 0; y + 11 <= a.height; ++y) {
    for (int x = 0; x + 11 <= a.width; ++x, ++windows) {
      double ma = 0, mb = 0, va = 0, vb = 0, cov = 0;
      for (int k = 0; k < 121; ++k) {
        const double w = weights[k / 11][k % 11] / total;
        ma += w * luma_of(a, x + k % 11, y + k / 11);
        mb += w * luma_of(b, x + k % 11, y + k / 11);
      }
      for (int k = 0; k < 121; ++k) {
        const double w = weights[k / 11][k % 11] / total;
        const double da = luma_of(a, x + k % 11, y + k / 11) - ma;
        const double db = luma_of(b, x + k % 11, y + k / 11) - mb;
        va += w * da * da, vb += w * db * db, cov += w * da * db;
      }
      const double c1 = 2.55 * 2.55, c2 = 7.65 * 7.65;
      sum += (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
    }
  }
  return sum / windows;
}

TEST(Ssim, MatchesPlainLoops) {
  const Picture a = picture_of(to_image(discs(40, 90, 20, 1), false), {});
  const Picture noise = random_picture(40, 90, 3, 3);
  Picture b = copy_of(a);
  for (std::size_t i = 0; i < b.bytes.size(); ++i)
    b.bytes[i] = static_cast<std::uint8_t>((3 * b.bytes[i] + noise.bytes[i]) / 4);
  EXPECT_NEAR(structural_similarity(a, b).value(), plain_similarity(a, b), 1e-6);
  EXPECT_NEAR(structural_similarity(a, noise).value(), plain_similarity(a, noise), 1e-6);
  // A difference in one corner: most windows are skipped.
  Picture corner = copy_of(a);
  corner.bytes[sample_at(corner, 38, 88, 1)] ^= 255;
  EXPECT_NEAR(structural_similarity(a, corner).value(), plain_similarity(a, corner), 1e-6);
}

TEST(Ssim, IsOneForEqualPicturesAndMissingBelowAWindow) {
  const Picture a = random_picture(11, 11, 3, 1);
  EXPECT_EQ(structural_similarity(a, a).value(), 1);
  const Picture small = random_picture(10, 40, 3, 1);
  EXPECT_FALSE(structural_similarity(small, small).has_value());
}

TEST(Ssim, IncludesAlpha) {
  const Picture a = random_picture(16, 16, 4, 1);
  Picture b = copy_of(a);
  for (std::size_t i = 3; i < b.bytes.size(); i += 4) b.bytes[i] = 255;
  EXPECT_LT(structural_similarity(a, b).value(), 0.99);
}

}  // namespace
}  // namespace roundel
