#include <algorithm>
#include <cmath>

#include "renderer/compare/flip_tile.h"

namespace roundel {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// For the pixels x from −radius to radius.
template <typename Function>
std::vector<double> sampled(int radius, const Function& f) {
  std::vector<double> values;
  for (int x = -radius; x <= radius; ++x) values.push_back(f(static_cast<double>(x)));
  return values;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

FilterTaps scaled_taps(const std::vector<double>& values, double scale) {
  FilterTaps taps{static_cast<int>(values.size() / 2), {}};
  for (const double value : values) taps.weights.push_back(static_cast<float>(value * scale));
  return taps;
}

/// exp(−π²x²/b) of a contrast sensitivity, x in degrees.
std::vector<double> sensitivity(double b, int radius, double pixels_per_degree) {
  return sampled(radius, [&](double x) {
    const double degrees = x / pixels_per_degree;
    return std::exp(-kPi * kPi * degrees * degrees / b);
  });
}

/// Normalizes a Gaussian to sum 1, and cuts its ends below float precision.
FilterTaps unit_gaussian(std::vector<double> values) {
  constexpr double kNegligible = 1e-9;
  while (values.size() > 3 && values.front() < kNegligible) {
    values.erase(values.begin());
    values.pop_back();
  }
  return scaled_taps(values, 1 / sum_of(values));
}

/// Scales positive weights to sum 1, negative ones to −1.
FilterTaps balanced(const std::vector<double>& values) {
  double positive = 0, negative = 0;
  for (const double value : values) (value > 0 ? positive : negative) += std::abs(value);
  FilterTaps taps{static_cast<int>(values.size() / 2), {}};
  for (const double value : values)
    taps.weights.push_back(static_cast<float>(value / (value > 0 ? positive : negative)));
  return taps;
}

}  // namespace

FlipFilters flip_filters(double pixels_per_degree) {
  FlipFilters filters;
  // Table 1 of the paper: a and b of the Gaussians a·√(π/b)·exp(−π²x²/b).
  constexpr double kAchromatic = 0.0047, kRedGreen = 0.0053;
  constexpr double kBlueYellow[2][2] = {{34.1, 0.04}, {13.5, 0.025}};
  const int radius = static_cast<int>(
      std::ceil(3 * std::sqrt(kBlueYellow[0][1] / (2 * kPi * kPi)) * pixels_per_degree));
  filters.achromatic = unit_gaussian(sensitivity(kAchromatic, radius, pixels_per_degree));
  filters.red_green = unit_gaussian(sensitivity(kRedGreen, radius, pixels_per_degree));
  double total = 0;
  for (const auto& [a, b] : kBlueYellow) {
    const double sum = sum_of(sensitivity(b, radius, pixels_per_degree));
    total += a * std::sqrt(kPi / b) * sum * sum;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [a, b] = kBlueYellow[i];
    const std::vector<double> values = sensitivity(b, radius, pixels_per_degree);
    filters.blue_yellow_rows[i] = scaled_taps(values, 1);
    filters.blue_yellow_columns[i] = scaled_taps(values, a * std::sqrt(kPi / b) / total);
  }

  constexpr double kFeatureWidth = 0.082;  // degrees
  const double deviation = 0.5 * kFeatureWidth * pixels_per_degree;
  const int feature_radius = static_cast<int>(std::ceil(3 * deviation));
  const auto gaussian = [deviation](double x) {
    return std::exp(-x * x / (2 * deviation * deviation));
  };
  const std::vector<double> smooth = sampled(feature_radius, gaussian);
  filters.smooth = scaled_taps(smooth, 1 / sum_of(smooth));
  filters.edge = balanced(sampled(feature_radius, [&](double x) { return -x * gaussian(x); }));
  filters.point = balanced(sampled(feature_radius, [&](double x) {
    return (x * x / (deviation * deviation) - 1) * gaussian(x);
  }));
  filters.radius = std::max(radius, feature_radius);
  return filters;
}

}  // namespace roundel
