#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "renderer/data/table.h"

/// Shared by the programs that draw circles with another library: circles from an array of `roundel
/// circles` ([n, 7]: x, y, z, radius, red, green, blue), alpha ½, over white.
namespace roundel::peer {

struct Circle {
  double x, y, radius;  ///< pixels, y down
  double red, green, blue;
};
inline constexpr double kAlpha = 0.5;

inline std::vector<Circle> read_circles(const char* path, int side) {
  const std::unique_ptr<Table> table = open_table(path);
  constexpr std::size_t kColumns[] = {0, 1, 3, 4, 5, 6};
  TableRows rows;
  table->read(kColumns, 0, table->rows(), rows);
  std::vector<Circle> circles(rows.count());
  for (std::size_t i = 0; i < circles.size(); ++i) {
    const auto value = [&](std::size_t k) { return rows.numbers(k)[i]; };
    const auto color = [&](std::size_t k) { return std::clamp(value(k), 0.0, 1.0); };
    circles[i] = {value(0) * side, (1 - value(1)) * side, value(2) * side, color(3), color(4),
                  color(5)};
  }
  return circles;
}

/// main() of such a program: PROGRAM CIRCLES.npy SIDE REPEATS [antialias] prints the least and the
/// median time in milliseconds of draw(circles), which make_draw(side, antialias) makes. The first
/// frame, which touches memory for the first time, is not counted.
template <typename MakeDraw>
int time_drawing(int argc, char** argv, const MakeDraw& make_draw) {
  const bool antialias = argc == 5 && std::string_view(argv[4]) == "antialias";
  if (argc != 4 && !antialias) {
    std::fprintf(stderr, "usage: %s CIRCLES.npy SIDE REPEATS [antialias]\n", argv[0]);
    return 2;
  }
  const int side = std::atoi(argv[2]);
  const std::vector<Circle> circles = read_circles(argv[1], side);
  auto draw = make_draw(side, antialias);
  draw(circles);
  std::vector<double> times;
  for (int repeat = 0; repeat < std::max(1, std::atoi(argv[3])); ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    draw(circles);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  std::printf("draw %.3f %.3f\n", times.front(), times[times.size() / 2]);
  return 0;
}

}  // namespace roundel::peer
