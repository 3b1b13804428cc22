// stars FILE.png: draws a spiral of circles that are columns in memory, into memory and into a
// file.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include <roundel/columns.h>
#include <roundel/render.h>
#include <roundel/scene.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  struct Star {
    double x, y;
    float mass;
  };
  std::vector<Star> stars(100'000);
  for (std::size_t i = 0; i < stars.size(); ++i) {
    const double turn = 0.001 * static_cast<double>(i),
                 away = 0.005 * std::sqrt(static_cast<double>(i));
    stars[i] = {away * std::cos(turn), away * std::sin(turn), static_cast<float>(i % 97)};
  }
  try {
    const auto column = [&](const auto& first) {
      return reinterpret_cast<const std::byte*>(&first);
    };
    roundel::SceneOverrides given;
    given.tables["stars"] = std::make_shared<roundel::ColumnTable>(
        "stars",
        std::vector<roundel::MemoryColumn>{
            {"x", "<f8", column(stars[0].x), sizeof(Star), nullptr},
            {"y", "<f8", column(stars[0].y), sizeof(Star), nullptr},
            {"mass", "<f4", column(stars[0].mass), sizeof(Star), nullptr}},
        stars.size());
    const roundel::Scene scene = roundel::parse_scene(R"(
version: 1
image: {width: 640, height: 480, background: "#000000"}
view: {fit: data}
layers:
  - {data: stars, map: {x: x, y: y, radius: 1.5px, color: {column: mass, colormap: magma}}}
)",
                                                      "stars", given);
    const auto backend = roundel::find_backend({}, roundel::work_of(scene)).backend;
    const auto rasterizer = roundel::make_rasterizer(backend, {});
    roundel::StageStats stats;
    const roundel::Image image = roundel::render_to_image(scene, 0, *rasterizer, stats);
    roundel::render_to_file(scene, 0, *rasterizer, argv[1], stats);
    std::printf("%dx%d pixels, %s\n", image.width, image.height,
                roundel::fingerprint(scene).c_str());
    return 0;
  } catch (const roundel::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.exit_code());
  }
}
