// stars FILE.png: draws a spiral of circles from an array of structs, into memory and into a file.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

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
    roundel::SceneOptions options;
    options.tables["stars"] = {
        {"x", stars, &Star::x}, {"y", stars, &Star::y}, {"mass", stars, &Star::mass}};
    const auto scene = roundel::Scene::from_text(R"(
version: 1
image: {width: 640, height: 480, background: "#000000"}
view: {fit: data}
layers:
  - {data: stars, map: {x: x, y: y, radius: 1.5px, color: {column: mass, colormap: magma}}}
)",
                                                 options);
    roundel::Renderer renderer;
    const roundel::Picture picture = renderer.render(scene);
    renderer.save(scene, argv[1]);
    std::printf("%dx%d pixels, %s\n", picture.width(), picture.height(),
                scene.fingerprint().c_str());
    return 0;
  } catch (const roundel::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
