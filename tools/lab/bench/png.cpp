// Times the encoding of a scene's frame as a PNG file on a CUDA device:
//   roundel_bench_png SCENE [REPEATS]
// Prints the file's size, the CPU's time, the medians of the device's stages alone, and the time a
// file with one to six of them in flight: without and with the download, polling for its end, and
// with the download and threads that wait as in films. Exits with 1 if a file differs from the
// CPU's.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "renderer/image/png_stream.h"
#include "renderer/raster/cuda/png/png_encoder.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"

namespace roundel {
namespace {

using cuda::DeviceBuffer;
using cuda::Event;
using cuda::PngEncoder;
using cuda::Stream;

const ImageMetadata kMetadata{"bench", "", 0, 0};

double us_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A picture on the device, and its encoder.
struct Packer {
  PngShape shape;
  DeviceBuffer<std::uint8_t> pixels;
  Stream stream;
  PngEncoder encoder;
  PngFile file;

  explicit Packer(const Image& image)
      : shape{image.width, image.height, image.channels, image.bits},
        pixels((image.bytes.size() + 3) / 4 * 4) {
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(pixels.data(), image.bytes.data(), image.bytes.size(),
                                       cudaMemcpyHostToDevice, stream));
    file.head = png_head(shape, kMetadata);
    pack(true);
  }
  void start() { pack_png(encoder.prepare(pixels.data(), shape, stream), stream); }
  void wait(bool polls) {
    if (polls) {
      ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream));
    } else {
      stream.wait();  // as films do
    }
  }
  void pack(bool polls) {
    start();
    encoder.copy_ahead(file, stream);
    wait(polls);
    if (encoder.finish(file, stream)) wait(polls);
  }
};

void print_stages(Packer& packer, int repeats) {
  constexpr struct {
    const char* name;
    void (*run)(const cuda::PngArgs&, cudaStream_t);
  } kStages[] = {{"count_sample", cuda::count_sample},
                 {"make_code", cuda::make_code},
                 {"code_segments", cuda::code_segments},
                 {"end_stream", cuda::end_stream}};
  constexpr std::size_t kNumStages = std::size(kStages);
  std::vector<double> times[kNumStages], alone;
  Event events[kNumStages + 1];
  for (int repeat = 0; repeat < repeats; ++repeat) {
    // With events between the stages, and without.
    events[0].record(packer.stream);
    for (std::size_t k = 0; k < kNumStages; ++k) {
      kStages[k].run(packer.encoder.args(), packer.stream);
      events[k + 1].record(packer.stream);
    }
    packer.stream.wait();
    for (std::size_t k = 0; k < kNumStages; ++k)
      times[k].push_back(1000 * events[k + 1].since(events[k]));
    events[0].record(packer.stream);
    for (const auto& stage : kStages) stage.run(packer.encoder.args(), packer.stream);
    events[1].record(packer.stream);
    packer.stream.wait();
    alone.push_back(1000 * events[1].since(events[0]));
  }
  for (std::size_t k = 0; k < kNumStages; ++k)
    fmt::print("{} {:.1f} us, ", kStages[k].name, median(times[k]));
  fmt::print("all four alone {:.1f} us\n", median(alone));
}

/// Returns microseconds a file, with `in_flight` threads that each make files one after the other.
double wall_us(const Image& image, int in_flight, int repeats, void (*make)(Packer&)) {
  std::vector<std::unique_ptr<Packer>> packers;
  packers.reserve(static_cast<std::size_t>(in_flight));
  for (int k = 0; k < in_flight; ++k) packers.push_back(std::make_unique<Packer>(image));
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  threads.reserve(packers.size());
  for (auto& packer : packers)
    threads.emplace_back([&packer, repeats, make] {
      for (int k = 0; k < repeats; ++k) make(*packer);
    });
  for (std::thread& thread : threads) thread.join();
  return us_since(start) / (static_cast<double>(repeats) * in_flight);
}

int run(const std::string& path, int repeats) {
  const Scene scene = load_scene(path, {});
  CircleSource source(scene);
  Circles circles;
  source.generate(scene.default_frame(), circles);
  Image image;
  StageStats stats;
  make_cpu_rasterizer({})->draw(circles, scene.image, image, stats);
  const std::vector<std::uint8_t> expected = encode_png(image, kMetadata);
  const auto start = std::chrono::steady_clock::now();
  encode_png(image, kMetadata);
  const double cpu_us = us_since(start);
  Packer packer(image);
  if (!PngEncoder::can_encode(packer.shape)) {
    fmt::print(stderr, "{}: is packed on the CPU\n", path);
    return 1;
  }
  const bool is_same = std::equal(packer.file.bytes.begin(), packer.file.bytes.end(),
                                  expected.begin(), expected.end());
  fmt::print("{}: {}x{}x{}, {} bytes, {}; CPU, all threads: {:.0f} us\n", path, image.width,
             image.height, image.channels, expected.size(), is_same ? "same" : "WRONG", cpu_us);
  print_stages(packer, repeats);
  for (const int in_flight : {1, 3, 6}) {
    const auto time = [&](void (*make)(Packer&)) {
      return wall_us(image, in_flight, repeats, make);
    };
    fmt::print(
        "{} in flight, us a file: {:.1f} on the device, {:.1f} with its copy, {:.1f} waiting as "
        "films do\n",
        in_flight, time([](Packer& one) {
          one.start();
          one.wait(true);
        }),
        time([](Packer& one) { one.pack(true); }), time([](Packer& one) { one.pack(false); }));
  }
  return is_same ? 0 : 1;
}

}  // namespace
}  // namespace roundel

int main(int argc, char** argv) try {
  if (argc < 2) {
    fmt::print(stderr, "usage: roundel_bench_png SCENE [REPEATS]\n");
    return 2;
  }
  return roundel::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 200);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
