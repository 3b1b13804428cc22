#include "tests/compare/flip_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace roundel {
namespace {

using Vec = std::array<double, 3>;
constexpr double kPi = 3.14159265358979323846;
constexpr double kToXyz[3][3] = {
    {0.412396, 0.357583, 0.180493}, {0.212673, 0.715166, 0.072182}, {0.019331, 0.119197, 0.950373}};

Vec product(const double (&m)[3][3], const Vec& v) {
  Vec out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

Vec to_xyz(const Vec& rgb) {
  return product(kToXyz, rgb);
}

Vec to_rgb(const Vec& xyz) {  // Cramer's rule
  const auto& m = kToXyz;
  const auto determinant = [](const Vec& a, const Vec& b, const Vec& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
           c[0] * (a[1] * b[2] - a[2] * b[1]);
  };
  const Vec r{m[0][0], m[1][0], m[2][0]}, g{m[0][1], m[1][1], m[2][1]},
      b{m[0][2], m[1][2], m[2][2]};
  const double d = determinant(r, g, b);
  return {determinant(xyz, g, b) / d, determinant(r, xyz, b) / d, determinant(r, g, xyz) / d};
}

const Vec kWhite = to_xyz({1, 1, 1});

Vec to_ycxcz(const Vec& rgb) {
  const Vec xyz = to_xyz(rgb);
  const double x = xyz[0] / kWhite[0], y = xyz[1] / kWhite[1], z = xyz[2] / kWhite[2];
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

Vec from_ycxcz(const Vec& v) {
  const double y = (v[0] + 16) / 116;
  return to_rgb({(y + v[1] / 500) * kWhite[0], y * kWhite[1], (y - v[2] / 200) * kWhite[2]});
}

Vec hunt(const Vec& rgb) {
  const Vec xyz = to_xyz(rgb);
  Vec f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = xyz[i] / kWhite[i], delta = 6.0 / 29;
    f[i] = t > delta * delta * delta ? std::cbrt(t) : t / (3 * delta * delta) + 4.0 / 29;
  }
  const double lightness = 116 * f[1] - 16;
  return {lightness, 0.01 * lightness * 500 * (f[0] - f[1]),
          0.01 * lightness * 200 * (f[1] - f[2])};
}

double hyab(const Vec& a, const Vec& b) {
  return std::abs(a[0] - b[0]) + std::hypot(a[1] - b[1], a[2] - b[2]);
}

using Plane = std::vector<double>;

struct Kernel {
  int radius;
  Plane weights;
};

template <typename F>
Kernel kernel(int radius, const F& f) {
  Kernel k{radius, {}};
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x) k.weights.push_back(f(x, y));
  double positive = 0, negative = 0;
  for (const double w : k.weights) (w > 0 ? positive : negative) += std::abs(w);
  for (double& w : k.weights)
    if (w != 0) w /= w > 0 ? positive : negative;
  return k;
}

Plane convolved(const Plane& in, int width, int height, const Kernel& k) {
  Plane out(in.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::size_t i = 0;
      for (int dy = -k.radius; dy <= k.radius; ++dy)
        for (int dx = -k.radius; dx <= k.radius; ++dx)
          out[static_cast<std::size_t>(y * width + x)] +=
              k.weights[i++] *
              in[static_cast<std::size_t>(std::clamp(y + dy, 0, height - 1) * width +
                                          std::clamp(x + dx, 0, width - 1))];
    }
  }
  return out;
}

struct Appearance {
  std::vector<Vec> lab;
  Plane edges, points;
};

Appearance appearance(const OraclePicture& picture, double ppd) {
  const std::size_t count = picture.rgb.size() / 3;
  Plane planes[3], grey(count);
  for (auto& plane : planes) plane.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec v = to_ycxcz({picture.rgb[3 * i], picture.rgb[3 * i + 1], picture.rgb[3 * i + 2]});
    for (std::size_t c = 0; c < 3; ++c) planes[c][i] = v[c];
    grey[i] = (v[0] + 16) / 116;
  }
  const double abab[3][4] = {{1, 0.0047, 0, 1e-5}, {1, 0.0053, 0, 1e-5}, {34.1, 0.04, 13.5, 0.025}};
  const int radius = static_cast<int>(std::ceil(3 * std::sqrt(0.04 / (2 * kPi * kPi)) * ppd));
  for (std::size_t c = 0; c < 3; ++c) {
    const double a1 = abab[c][0], b1 = abab[c][1], a2 = abab[c][2], b2 = abab[c][3];
    planes[c] =
        convolved(planes[c], picture.width, picture.height, kernel(radius, [&](int x, int y) {
                    const double d = (x * x + y * y) / (ppd * ppd);
                    return a1 * std::sqrt(kPi / b1) * std::exp(-kPi * kPi * d / b1) +
                           a2 * std::sqrt(kPi / b2) * std::exp(-kPi * kPi * d / b2);
                  }));
  }
  Appearance out;
  for (std::size_t i = 0; i < count; ++i) {
    Vec rgb = from_ycxcz({planes[0][i], planes[1][i], planes[2][i]});
    for (double& c : rgb) c = std::clamp(c, 0.0, 1.0);
    out.lab.push_back(hunt(rgb));
  }
  const double s = 0.5 * 0.082 * ppd;
  const int feature_radius = static_cast<int>(std::ceil(3 * s));
  const auto g = [s](int x, int y) { return std::exp(-(x * x + y * y) / (2 * s * s)); };
  const auto filtered = [&](const auto& f) {
    return convolved(grey, picture.width, picture.height, kernel(feature_radius, f));
  };
  const Plane ex = filtered([&](int x, int y) { return -x * g(x, y); });
  const Plane ey = filtered([&](int x, int y) { return -y * g(x, y); });
  const Plane px = filtered([&](int x, int y) { return (x * x / (s * s) - 1) * g(x, y); });
  const Plane py = filtered([&](int x, int y) { return (y * y / (s * s) - 1) * g(x, y); });
  for (std::size_t i = 0; i < count; ++i) {
    out.edges.push_back(std::hypot(ex[i], ey[i]));
    out.points.push_back(std::hypot(px[i], py[i]));
  }
  return out;
}

}  // namespace

std::vector<double> ldr_flip_oracle(const OraclePicture& a, const OraclePicture& b, double ppd) {
  const Appearance appearance_a = appearance(a, ppd), appearance_b = appearance(b, ppd);
  const double largest = std::pow(hyab(hunt({0, 1, 0}), hunt({0, 0, 1})), 0.7);
  std::vector<double> errors;
  for (std::size_t i = 0; i < appearance_a.lab.size(); ++i) {
    const double distance = std::pow(hyab(appearance_a.lab[i], appearance_b.lab[i]), 0.7);
    const double knee = 0.4 * largest;
    const double color = distance < knee ? 0.95 / knee * distance
                                         : 0.95 + (distance - knee) / (largest - knee) * (1 - 0.95);
    const double feature = std::max(std::abs(appearance_a.edges[i] - appearance_b.edges[i]),
                                    std::abs(appearance_a.points[i] - appearance_b.points[i]));
    errors.push_back(std::pow(color, 1 - std::sqrt(feature / std::sqrt(2.0))));
  }
  return errors;
}

std::vector<double> hdr_flip_oracle(const OraclePicture& a, const OraclePicture& b, double ppd) {
  std::vector<double> luminances;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3)
    luminances.push_back(0.2126 * a.rgb[i] + 0.7152 * a.rgb[i + 1] + 0.0722 * a.rgb[i + 2]);
  std::sort(luminances.begin(), luminances.end());
  const auto aces = [](double x) {
    const double y = 0.6 * x;
    return std::clamp(y * (2.51 * y + 0.03) / (y * (2.43 * y + 0.59) + 0.14), 0.0, 1.0);
  };
  double low = 0, high = 100;  // the point at which tone mapping gives 0.85, by bisection
  for (int k = 0; k < 200; ++k) (aces((low + high) / 2) < 0.85 ? low : high) = (low + high) / 2;
  const double start = std::log2(low / luminances.back());
  const double stop = std::log2(low / std::max(luminances[luminances.size() / 2], 1.1920929e-7));
  const int count = std::max(2, static_cast<int>(std::ceil(stop - start)));
  std::vector<double> errors(luminances.size());
  for (int k = 0; k < count; ++k) {
    const double factor = std::exp2(start + k * (stop - start) / (count - 1));
    OraclePicture mapped[2] = {a, b};
    for (OraclePicture& picture : mapped)
      for (double& value : picture.rgb) value = aces(factor * value);
    const std::vector<double> at = ldr_flip_oracle(mapped[0], mapped[1], ppd);
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = std::max(errors[i], at[i]);
  }
  return errors;
}

}  // namespace roundel
