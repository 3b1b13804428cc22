#include "renderer/compare/ssim.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "renderer/compare/opaque_pixel.h"
#include "renderer/pixels/srgb.h"

namespace roundel {
namespace {

constexpr int kWindow = 11, kHalfWindow = kWindow / 2;
constexpr int kStripRows = 64;

std::array<double, kWindow> window_weights() {
  std::array<double, kWindow> weights{};
  double sum = 0;
  for (int k = 0; k < kWindow; ++k) {
    constexpr double kDeviation = 1.5;
    const double x = k - kHalfWindow;
    sum += weights[static_cast<std::size_t>(k)] = std::exp(-x * x / (2 * kDeviation * kDeviation));
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

double luma(const Picture& picture, int x, int y, float background) {
  OpaquePixel pixel = opaque_pixel(picture, x, y, background);
  if (picture.is_linear()) {
    for (float* value : {&pixel.red, &pixel.green, &pixel.blue})
      *value = std::min(linear_to_srgb(*value), 1.0f);
  }
  return 0.299 * static_cast<double>(pixel.red) + 0.587 * static_cast<double>(pixel.green) +
         0.114 * static_cast<double>(pixel.blue);
}

/// Weighted sums over a window, of both pictures, their squares and their product.
struct Moments {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void add(double weight, const Moments& other) {
    a += weight * other.a, b += weight * other.b, aa += weight * other.aa;
    bb += weight * other.bb, ab += weight * other.ab;
  }
  double similarity() const {
    constexpr double kC1 = 0.01 * 0.01, kC2 = 0.03 * 0.03;
    const double variances = (aa - a * a) + (bb - b * b), covariance = ab - a * b;
    return (2 * a * b + kC1) * (2 * covariance + kC2) / ((a * a + b * b + kC1) * (variances + kC2));
  }
};

class Similarity {
 public:
  Similarity(const Picture& a, const Picture& b, float background)
      : a_(a), b_(b), background_(background), weights_(window_weights()) {}

  /// Sums over windows with centres in columns x0..x1 and rows y0..y1.
  double sum(int x0, int x1, int y0, int y1) const {
    const auto width = static_cast<std::size_t>(x1 - x0) + 1;
    std::vector<Moments> rows(width * kWindow);  // windows one row high, in a ring of rows
    double sum = 0;
    for (int y = y0 - kHalfWindow; y <= y1 + kHalfWindow; ++y) {
      Moments* const row = rows.data() + static_cast<std::size_t>(y % kWindow) * width;
      filter_row(x0, x1, y, row);
      if (y < y0 + kHalfWindow) continue;
      for (std::size_t x = 0; x < width; ++x) {
        Moments window;
        for (int k = 0; k < kWindow; ++k) {
          const int from = (y + 1 + k) % kWindow;  // oldest row first
          window.add(weights_[static_cast<std::size_t>(k)],
                     rows[static_cast<std::size_t>(from) * width + x]);
        }
        sum += window.similarity();
      }
    }
    return sum;
  }

 private:
  void filter_row(int x0, int x1, int y, Moments* out) const {
    std::vector<Moments> pixels;
    for (int x = x0 - kHalfWindow; x <= x1 + kHalfWindow; ++x) {
      const double a = luma(a_, x, y, background_), b = luma(b_, x, y, background_);
      pixels.push_back({a, b, a * a, b * b, a * b});
    }
    for (int x = x0; x <= x1; ++x, ++out) {
      *out = {};
      for (int k = 0; k < kWindow; ++k)
        out->add(weights_[static_cast<std::size_t>(k)],
                 pixels[static_cast<std::size_t>(x - x0) + static_cast<std::size_t>(k)]);
    }
  }

  const Picture& a_;
  const Picture& b_;
  float background_;
  std::array<double, kWindow> weights_;
};

double mean_similarity(const Picture& a, const Picture& b, float background) {
  // Windows without a differing pixel have a similarity of exactly 1.
  const PixelBox box = grown(differing_box(a, b), kHalfWindow, a);
  const int x0 = std::max(box.x, kHalfWindow),
            x1 = std::min(box.x + box.width, a.width - kHalfWindow) - 1;
  const int y0 = std::max(box.y, kHalfWindow),
            y1 = std::min(box.y + box.height, a.height - kHalfWindow) - 1;
  const double windows = static_cast<double>(a.width - 2 * kHalfWindow) *
                         static_cast<double>(a.height - 2 * kHalfWindow);
  if (x1 < x0 || y1 < y0) return 1;
  const Similarity similarity(a, b, background);
  std::vector<double> sums(static_cast<std::size_t>((y1 - y0) / kStripRows + 1));
  tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t strip) {
    const int y = y0 + static_cast<int>(strip) * kStripRows;
    sums[strip] = similarity.sum(x0, x1, y, std::min(y + kStripRows - 1, y1));
  });
  double sum = 0;
  for (const double strip : sums) sum += strip;
  const double inside = static_cast<double>(x1 - x0 + 1) * static_cast<double>(y1 - y0 + 1);
  return (sum + (windows - inside)) / windows;
}

}  // namespace

std::optional<double> structural_similarity(const Picture& a, const Picture& b) {
  if (a.width < kWindow || a.height < kWindow) return std::nullopt;
  double similarity = mean_similarity(a, b, 0);
  if (is_translucent(a) || is_translucent(b))
    similarity = std::min(similarity, mean_similarity(a, b, 1));
  return similarity;
}

}  // namespace roundel
