#include "renderer/explain/explain_difference.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "renderer/base/memory.h"
#include "renderer/explain/circle_effects.h"
#include "renderer/explain/pixel_clusters.h"
#include "renderer/pixels/pixel_to_bytes.h"

namespace roundel {
namespace {

constexpr std::size_t kMostExamined = 65536;

bool differs_in_bytes(const Pixel& a, const Pixel& b, const ImageSettings& in_a,
                      const ImageSettings& in_b) {
  std::array<std::uint8_t, 4> bytes_a{}, bytes_b{};
  store_pixel(a, in_a, bytes_a.data());
  store_pixel(b, in_b, bytes_b.data());
  return bytes_a != bytes_b;
}

Buffer<std::uint8_t> differing_pixels(const DrawnFrame& a, const DrawnFrame& b, bool in_bytes) {
  Buffer<std::uint8_t> marked(a.framebuffer.pixels.size());
  const auto width = static_cast<std::size_t>(a.image.width);
  tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(a.image.height), [&](std::size_t row) {
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
      const Pixel& of_a = a.framebuffer.pixels[i];
      const Pixel& of_b = b.framebuffer.pixels[i];
      const bool differs = std::memcmp(&of_a, &of_b, sizeof(Pixel)) != 0 &&
                           (!in_bytes || differs_in_bytes(of_a, of_b, a.image, b.image));
      marked[i] = differs ? 1 : 0;
    }
  });
  return marked;
}

/// Summed over the channels.
double pixel_distance(const Pixel& a, const Pixel& b) {
  return std::abs(double{a.red} - b.red) + std::abs(double{a.green} - b.green) +
         std::abs(double{a.blue} - b.blue) + std::abs(double{a.alpha} - b.alpha);
}

void measure_cluster(const DrawnFrame& a, const DrawnFrame& b, const PixelCluster& cluster,
                     ClusterExplanation& explanation) {
  const auto width = static_cast<std::uint32_t>(a.image.width);
  double sum = 0;
  explanation.largest = -1;
  for (const std::uint32_t pixel : cluster.pixels) {
    const double d = pixel_distance(a.framebuffer.pixels[pixel], b.framebuffer.pixels[pixel]);
    sum += d;
    if (d <= explanation.largest) continue;
    explanation.largest = d;
    explanation.x = static_cast<int>(pixel % width);
    explanation.row = static_cast<int>(pixel / width);
  }
  explanation.mean = sum / static_cast<double>(cluster.pixels.size());
}

std::vector<std::uint32_t> evenly_spread(const std::vector<std::uint32_t>& pixels) {
  if (pixels.size() <= kMostExamined) return pixels;
  std::vector<std::uint32_t> some(kMostExamined);
  for (std::size_t i = 0; i < kMostExamined; ++i)
    some[i] = pixels[i * pixels.size() / kMostExamined];
  return some;
}

ClusterExplanation explain_cluster(const DrawnFrame& a, const DrawnFrame& b,
                                   const PixelCluster& cluster,
                                   const std::vector<CircleChange>& changes,
                                   std::uint64_t list_budget) {
  ClusterExplanation explanation;
  explanation.pixels = cluster.pixels.size();
  explanation.box = cluster.box;
  measure_cluster(a, b, cluster, explanation);

  const std::vector<std::uint32_t> examined = evenly_spread(cluster.pixels);
  explanation.examined = examined.size();
  const std::vector<ChangeEffect> effects = sum_effects(a, b, changes, examined, list_budget);
  double whole = 0;
  for (const ChangeEffect& effect : effects) whole += effect.amount;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (effects[i].amount > 0)
      explanation.circles.push_back({changes[i], effects[i].amount / whole, effects[i].pixels});
  if (whole > 0) explanation.background_share = effects.back().amount / whole;
  std::stable_sort(
      explanation.circles.begin(), explanation.circles.end(),
      [](const auto& first, const auto& second) { return first.share > second.share; });
  return explanation;
}

}  // namespace

DifferenceExplanation explain_difference(const DrawnFrame& a, const DrawnFrame& b,
                                         std::uint64_t list_budget, std::size_t most) {
  DifferenceExplanation explanation;
  const auto clusters = [&](bool in_bytes) {
    return find_clusters(differing_pixels(a, b, in_bytes), a.image.width, a.image.height, most);
  };
  PixelClusters found = clusters(true);
  if (found.pixels == 0) {
    explanation.in_bytes = false;
    found = clusters(false);
  }
  const std::vector<CircleChange> changes = match_circles(a.circles, a.places, b.circles, b.places);
  explanation.changes = changes.size();
  explanation.pixels = found.pixels;
  explanation.clusters = found.clusters;
  for (const PixelCluster& cluster : found.largest)
    explanation.explained.push_back(explain_cluster(
        a, b, cluster, changes, list_budget > 0 ? list_budget : physical_memory() / 4));
  return explanation;
}

}  // namespace roundel
