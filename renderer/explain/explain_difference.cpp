#include "renderer/explain/explain_difference.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "renderer/base/memory.h"
#include "renderer/explain/circle_effects.h"
#include "renderer/explain/pixel_clusters.h"
#include "renderer/pixels/quantize_levels.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxExaminedPixels = 65536;

/// Column x and row y count from the upper left.
bool differs_in_samples(const Pixel& a, const Pixel& b, const SampleFormat& in_a,
                        const SampleFormat& in_b, std::size_t x, std::size_t y) {
  const auto samples_of = [&](const Pixel& pixel, const SampleFormat& format) {
    std::array<std::uint32_t, 4> samples{};
    quantize_pixel(pixel, format, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                   samples.data());
    return samples;
  };
  return samples_of(a, in_a) != samples_of(b, in_b);
}

Buffer<std::uint8_t> differing_pixels(const DrawnFrame& a, const DrawnFrame& b, bool in_samples) {
  Buffer<std::uint8_t> marked(a.framebuffer.pixels.size());
  const auto width = static_cast<std::size_t>(a.image.width);
  const auto height = static_cast<std::size_t>(a.image.height);
  SampleFormat in_a(a.image), in_b(b.image);
  in_a.has_words = in_b.has_words = in_a.has_words && in_b.has_words;
  tbb::parallel_for(std::size_t{0}, height, [&](std::size_t row) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t i = row * width + x;
      const Pixel& of_a = a.framebuffer.pixels[i];
      const Pixel& of_b = b.framebuffer.pixels[i];
      const bool differs =
          std::memcmp(&of_a, &of_b, sizeof(Pixel)) != 0 &&
          (!in_samples || differs_in_samples(of_a, of_b, in_a, in_b, x, height - 1 - row));
      marked[i] = differs ? 1 : 0;
    }
  });
  return marked;
}

/// Sum over the channels.
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
  if (pixels.size() <= kMaxExaminedPixels) return pixels;
  std::vector<std::uint32_t> some(kMaxExaminedPixels);
  for (std::size_t i = 0; i < kMaxExaminedPixels; ++i)
    some[i] = pixels[i * pixels.size() / kMaxExaminedPixels];
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
                                         std::uint64_t list_budget, std::size_t max_clusters) {
  DifferenceExplanation explanation;
  const auto clusters = [&](bool in_samples) {
    return find_clusters(differing_pixels(a, b, in_samples), a.image.width, a.image.height,
                         max_clusters);
  };
  PixelClusters found = clusters(true);
  if (found.pixels == 0) {
    explanation.in_samples = false;
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
