#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "renderer/circles/classic.h"
#include "renderer/circles/depth_sort.h"
#include "renderer/circles/glibc_random.h"
#include "renderer/circles/simulated_layer.h"
#include "renderer/scene/classic_scenes.h"

namespace roundel {
namespace {

constexpr std::size_t kTask = 16384;        ///< minimum for a task and a skip
constexpr std::size_t kTasksPerThread = 8;  ///< enough that threads end together
constexpr std::size_t kDrawsAtOnce = 512;   ///< circles whose draws fit in L1

/// base + scale·u.
struct Draw {
  float base, scale;
};

struct ColorDraw {
  Draw red, green, blue;
};

constexpr ColorDraw kLawA = {{.1f, .9f}, {.2f, .5f}, {.5f, .5f}};
constexpr ColorDraw kLawB = {{.3f, .9f}, {.1f, .9f}, {.1f, .4f}};
constexpr ColorDraw kLawC = {{.2f, .5f}, {.5f, .5f}, {.1f, .4f}};
constexpr ColorDraw kLawD = {{.3f, .9f}, {.1f, .3f}, {.2f, .2f}};

/// A scene 'random': draws and sorts all depths, descending; then each circle draws radius (if it
/// has a law), x, y, red, green, blue.
struct RandomScene {
  std::size_t count;  ///< circles
  ColorDraw color;
  Draw radius;  ///< scale 0: not drawn
};

/// Last circles of biglittle and littlebig.
struct Corner {
  Draw x, y;
};
constexpr std::size_t kCornerCircles = 1000;
constexpr float kCornerRadius = .05f;

class RandomSceneLayer final : public LayerSource {
 public:
  RandomSceneLayer(const RandomScene& scene, const Corner* corner, const ClassicOptions& options)
      // A depth depends on all others; other values are independent of depths.
      : LayerSource({.is_cheap = !options.has_depths, .is_parallel = options.has_depths}),
        scene_(scene),
        corner_(corner),
        start_(options.seed),
        alpha_(options.alpha) {}

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    if (traits().is_cheap)
      fill_without_depths(first, shapes, paints);
    else
      fill_all(shapes, paints);
    if (corner_ != nullptr) move_to_corner(first, shapes);
  }

 private:
  void fill_without_depths(std::size_t first, std::span<Shape> shapes,
                           std::span<Paint> paints) const {
    GlibcRandom stream = stream_at(scene_.count + draws_per_circle() * first);
    static constexpr std::array<float, kDrawsAtOnce> kNoDepths{};
    for (std::size_t i = 0; i < shapes.size(); i += kDrawsAtOnce) {
      const std::size_t count = std::min(kDrawsAtOnce, shapes.size() - i);
      draw_circles(stream, std::span(kNoDepths).first(count), shapes.data() + i, paints.data() + i);
    }
  }

  void fill_all(std::span<Shape> shapes, std::span<Paint> paints) const {
    SortedDraws depths(start_, scene_.count);
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t task = std::max(kTask, scene_.count / (kTasksPerThread * threads));
    const std::size_t grain = task * depths.num_buckets() / std::max(task, scene_.count);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, depths.num_buckets(), std::max<std::size_t>(grain, 1)),
        [&](const tbb::blocked_range<std::size_t>& buckets) {
          const std::size_t first = depths.begin(buckets.begin());
          GlibcRandom stream = stream_at(scene_.count + draws_per_circle() * first);
          std::vector<float> z;
          for (std::size_t bucket = buckets.begin(); bucket < buckets.end(); ++bucket) {
            depths.sort_bucket(bucket, z);
            draw_circles(stream, z, shapes.data() + depths.begin(bucket),
                         paints.data() + depths.begin(bucket));
          }
        },
        tbb::simple_partitioner());
  }

  /// Number of draws except the depth.
  std::size_t draws_per_circle() const { return scene_.radius.scale != 0 ? 6 : 5; }

  GlibcRandom stream_at(std::size_t position) const {
    GlibcRandom stream = start_;
    stream.skip(position);
    return stream;
  }

  void draw_circles(GlibcRandom& stream, std::span<const float> z, Shape* shapes,
                    Paint* paints) const {
    float draws[6 * kDrawsAtOnce + 1];  // NOLINT: written before it is read
    for (std::size_t first = 0; first < z.size(); first += kDrawsAtOnce) {
      const std::size_t count = std::min(kDrawsAtOnce, z.size() - first);
      stream.draw(draws, draws_per_circle() * count);
      draws[draws_per_circle() * count] = 0;  // make_circles reads one more
      if (draws_per_circle() == 6) {
        make_circles<6>(draws, z.subspan(first, count), shapes + first, paints + first);
      } else {
        make_circles<5>(draws, z.subspan(first, count), shapes + first, paints + first);
      }
    }
  }

  template <std::size_t kDraws>
  void make_circles(const float* draws, std::span<const float> z, Shape* shapes,
                    Paint* paints) const {
    constexpr std::size_t kPosition = kDraws - 5;  // index of x among a circle's draws
    const ColorDraw& color = scene_.color;
    const Draw radius = scene_.radius;
    // A paint is one vector: alpha is alpha + 0·u.
    using Floats = float __attribute__((vector_size(sizeof(Paint))));
    const Floats base{color.red.base, color.green.base, color.blue.base, alpha_};
    const Floats scale{color.red.scale, color.green.scale, color.blue.scale, 0};
    for (std::size_t i = 0; i < z.size(); ++i) {
      const float* const u = draws + kDraws * i;
      shapes[i] = {u[kPosition], u[kPosition + 1], z[i],
                   kDraws == 6 ? radius.base + radius.scale * u[0] : radius.base};
      Floats paint;
      std::memcpy(&paint, u + kPosition + 2, sizeof paint);
      paint = base + scale * paint;
      std::memcpy(&paints[i], &paint, sizeof paint);
    }
  }

  /// Uses the draws after all others, two per circle.
  void move_to_corner(std::size_t first, std::span<Shape> shapes) const {
    const std::size_t first_moved = std::max(first, scene_.count - kCornerCircles);
    if (first_moved >= first + shapes.size()) return;
    GlibcRandom stream = stream_at((1 + draws_per_circle()) * scene_.count +
                                   2 * (first_moved - (scene_.count - kCornerCircles)));
    for (Shape& shape : shapes.subspan(first_moved - first)) {
      shape.radius = kCornerRadius;
      shape.x = corner_->x.base + corner_->x.scale * stream.uniform();
      shape.y = corner_->y.base + corner_->y.scale * stream.uniform();
    }
  }

  RandomScene scene_;
  const Corner* corner_;
  GlibcRandom start_;
  float alpha_;
};

std::unique_ptr<LayerSource> random_scene(const RandomScene& scene, const Corner* corner,
                                          const ClassicOptions& options) {
  return std::make_unique<RandomSceneLayer>(scene, corner, options);
}

}  // namespace

std::unique_ptr<LayerSource> make_rgb(const ClassicOptions& options) {
  const float alpha = options.alpha;
  return std::make_unique<SteppedLayer>(
      SteppedLayer::Start{{{.4f, .5f, .75f, .3f}, {.5f, .5f, .5f, .3f}, {.6f, .5f, .25f, .3f}},
                          {{1, 0, 0, alpha}, {0, 1, 0, alpha}, {0, 0, 1, alpha}}});
}

std::unique_ptr<LayerSource> make_rgby(const ClassicOptions& options) {
  const float alpha = options.alpha;
  return std::make_unique<SteppedLayer>(SteppedLayer::Start{
      {{.25f, .25f, .75f, .19f},
       {.3f, .3f, .5f, .19f},
       {.5f, .5f, .25f, .25f},
       {.2f, .2f, .9f, .1f}},
      {{1, 0, 0, alpha}, {0, 1, 0, alpha}, {0, 0, 1, alpha}, {1, 1, 0, alpha}}});
}

std::unique_ptr<LayerSource> make_rand10k(const ClassicOptions& options) {
  return random_scene({classic_count("rand10k"), kLawA, {.02f, .06f}}, nullptr, options);
}

std::unique_ptr<LayerSource> make_rand100k(const ClassicOptions& options) {
  return random_scene({classic_count("rand100k"), kLawB, {.02f, .06f}}, nullptr, options);
}

std::unique_ptr<LayerSource> make_rand_1m(const ClassicOptions& options) {
  return random_scene({classic_count("rand1M"), kLawC, {.009f, .005f}}, nullptr, options);
}

std::unique_ptr<LayerSource> make_micro_2m(const ClassicOptions& options) {
  return random_scene({classic_count("micro2M"), kLawD, {.001f, 0}}, nullptr, options);
}

std::unique_ptr<LayerSource> make_biglittle(const ClassicOptions& options) {
  static constexpr Corner kUpperLeft = {{.9f - .85f, .1f}, {.85f, .1f}};
  return random_scene({classic_count("biglittle"), kLawA, {.25f, 0}}, &kUpperLeft, options);
}

std::unique_ptr<LayerSource> make_littlebig(const ClassicOptions& options) {
  static constexpr Corner kLowerRight = {{.9f - .05f, .1f}, {.05f, .1f}};
  return random_scene({classic_count("littlebig"), kLawA, {.25f, 0}}, &kLowerRight, options);
}

/// Two overlaid grids of touching circles, 16×16 red ones and 31×31 yellow ones at half the
/// distance.
std::unique_ptr<LayerSource> make_pattern(const ClassicOptions& options) {
  constexpr float kRadius = .5f * (1.0f / 16.0f);
  GlibcRandom stream(options.seed);
  SteppedLayer::Start start;
  const auto add_grid = [&](int side, float origin, const Paint& paint) {
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        start.shapes.push_back({origin + (2.0f * kRadius * static_cast<float>(i)),
                                origin + (2.0f * kRadius * static_cast<float>(j)), stream.uniform(),
                                kRadius});
        start.paints.push_back(paint);
      }
  };
  static_assert(16 * 16 + 31 * 31 == classic_count("pattern"));
  add_grid(16, kRadius, {1, 0, 0, options.alpha});
  add_grid(31, 0.0f, {1, 1, 0, options.alpha});
  return std::make_unique<SteppedLayer>(std::move(start));
}

}  // namespace roundel
