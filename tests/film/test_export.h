#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"

/// Films for tests, of a tiny scene and into memory.
namespace roundel {

using Bytes = std::vector<std::uint8_t>;

inline Scene test_scene(const std::string& generator) {
  return parse_scene(
      "version: 1\nimage: {width: 24, height: 16}\nlayers:\n  - generator: " + generator + "\n",
      "test.yaml");
}

/// Keeps what it gets, and fails at a given point.
class TestSink : public FrameSink {
 public:
  explicit TestSink(bool in_order) : in_order_(in_order) {}
  bool in_order() const override { return in_order_; }
  std::string name(std::int64_t frame) const override { return std::to_string(frame); }
  void write(std::int64_t frame, std::span<const std::uint8_t> bytes) override {
    const std::lock_guard lock(mutex);
    if (fails(frame)) throw Error(ExitCode::kOutputRefused, "refused");
    order.push_back(frame);
    EXPECT_TRUE(files.emplace(frame, Bytes(bytes.begin(), bytes.end())).second) << "twice";
  }

  std::function<bool(std::int64_t)> fails = [](std::int64_t) { return false; };
  std::mutex mutex;
  FrameList order;
  std::map<std::int64_t, Bytes> files;

 private:
  bool in_order_;
};

/// Draws with the CPU, after some waiting; throws from the given call on.
class SlowRasterizer : public Rasterizer {
 public:
  SlowRasterizer(int milliseconds, int calls_before_failure)
      : milliseconds_(milliseconds), calls_left_(calls_before_failure) {}
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    wait();
    inner_->draw(circles, image, out, stats);
  }

 private:
  void wait() {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    if (calls_left_-- <= 0) throw Error(ExitCode::kRuntimeFailure, "the device is gone");
  }
  int milliseconds_, calls_left_;
  std::unique_ptr<Rasterizer> inner_ = make_cpu_rasterizer({});
};

inline constexpr int kNeverFails = 1 << 30;

/// One export of a scene, with settings for tests.
struct TestExport {
  explicit TestExport(const std::string& generator, FrameList frames, bool in_order = false,
                      VideoFormat format = VideoFormat::kRawVideo)
      : scene(test_scene(generator)),
        source(std::move(frames)),
        encoder(scene, {ImageFormat::kPng, format}),
        sink(in_order) {}

  ExportResult run() {
    if (rasterizers.empty()) rasterizers.push_back(make_cpu_rasterizer({}));
    ExportJob job{scene, source, encoder, sink, std::move(rasterizers)};
    job.encoders = 3;
    job.memory_budget = memory_budget;
    job.on_written = [this](std::int64_t, std::uint64_t) { ++reported; };
    job.goes_on = goes_on;
    job.tick_seconds = 0.001;
    return export_frames(std::move(job));
  }
  void add_rasterizer(int milliseconds, int calls_before_failure = kNeverFails) {
    rasterizers.push_back(std::make_unique<SlowRasterizer>(milliseconds, calls_before_failure));
  }

  Scene scene;
  ListedFrames source;
  FrameEncoder encoder;
  TestSink sink;
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  std::function<bool(const ExportCounts&)> goes_on = [](auto&) { return true; };
  std::uint64_t memory_budget = 0;
  std::atomic<int> reported{0};
};

/// Returns the frame on its own, made like a still.
inline Bytes still(const Scene& scene, std::int64_t frame) {
  const auto rasterizer = make_cpu_rasterizer({});
  Image image;
  StageStats stats;
  CircleSource source(scene);
  Circles circles;
  rasterizer->draw(source.at(frame, circles), scene.image, image, stats);
  return {image.bytes.begin(), image.bytes.end()};
}

}  // namespace roundel
