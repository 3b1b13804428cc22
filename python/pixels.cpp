#include "python/pixels.h"

#include <pthread.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "python/gil.h"
#include "renderer/render.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

/// A framebuffer's rows are bottom to top, and have an alpha always.
void take_floats(const Framebuffer& framebuffer, Pixels& pixels) {
  const auto width = static_cast<std::size_t>(pixels.width);
  const auto height = static_cast<std::size_t>(pixels.height);
  const auto channels = static_cast<std::size_t>(pixels.channels);
  tbb::parallel_for(std::size_t{0}, height, [&](std::size_t row) {
    const Pixel* in = framebuffer.pixels.data() + (height - 1 - row) * width;
    std::uint8_t* out = pixels.bytes.data() + row * width * channels * sizeof(float);
    for (std::size_t i = 0; i < width; ++i, ++in, out += channels * sizeof(float))
      std::memcpy(out, in, channels * sizeof(float));
  });
}

/// What a scene's image is where these samples are wanted.
void set_samples(ImageSettings& image, SampleType type) {
  image.bits = type == SampleType::kUint16 ? 16 : 8;
  image.low_byte_first = true;  // as the machine has it
  image.dither = image.dither && type == SampleType::kUint8;
}

}  // namespace

const char* name_of(SampleType type) {
  return type == SampleType::kFloat32  ? "float32"
         : type == SampleType::kUint16 ? "uint16"
                                       : "uint8";
}

std::size_t sample_bytes(SampleType type) {
  return type == SampleType::kFloat32 ? 4 : type == SampleType::kUint16 ? 2 : 1;
}

Pixels draw_pixels(Rasterizer& rasterizer, const CircleStream& circles, ImageSettings image,
                   SampleType type, StageStats& stats) {
  Pixels pixels{image.width, image.height, image.channels(), type, {}};
  if (type == SampleType::kFloat32) {
    Framebuffer framebuffer;
    rasterizer.draw(circles, image, framebuffer, stats);
    pixels.bytes = Buffer<std::uint8_t>(pixel_count(pixels.width, pixels.height) *
                                        static_cast<std::size_t>(pixels.channels) * sizeof(float));
    take_floats(framebuffer, pixels);
    return pixels;
  }
  set_samples(image, type);
  Image drawn;
  rasterizer.draw(circles, image, drawn, stats);
  pixels.bytes = std::move(drawn.bytes);
  return pixels;
}

std::shared_ptr<void> draw_pixels_on_device(Rasterizer& rasterizer, const CircleStream& circles,
                                            ImageSettings image, SampleType type,
                                            StageStats& stats) {
  DevicePixels pixels{type == SampleType::kFloat32};
  if (!pixels.is_float) set_samples(image, type);
  rasterizer.draw(circles, image, pixels, stats);
  return pixels.samples;
}

void find_numpy() {
  static std::atomic<bool> is_found{false};
  if (is_found) return;
  // A forked process has one of its own: there may be nobody there to unlock this one.
  static std::mutex* one_at_a_time = new std::mutex();
  static const int has_handler = ::pthread_atfork(nullptr, nullptr, [] {
    if (!is_found) one_at_a_time = new std::mutex();
  });
  static_cast<void>(has_handler);
  std::unique_lock lock(*one_at_a_time, std::defer_lock);
  {
    const GilRelease release;
    lock.lock();
  }
  py::module_::import("roundel._numpy");  // its error names the package
  static_cast<void>(py::dtype("float32"));
  is_found = true;
}

py::array array_of(Pixels pixels) {
  find_numpy();
  const auto bytes = static_cast<py::ssize_t>(sample_bytes(pixels.type));
  const py::ssize_t height = pixels.height, width = pixels.width, channels = pixels.channels;
  auto owned = std::make_unique<Buffer<std::uint8_t>>(std::move(pixels.bytes));
  std::uint8_t* const data = owned->data();
  const py::capsule owner(owned.release(),
                          [](void* buffer) { delete static_cast<Buffer<std::uint8_t>*>(buffer); });
  return py::array(py::dtype(name_of(pixels.type)), {height, width, channels},
                   {width * channels * bytes, channels * bytes, bytes}, data, owner);
}

}  // namespace roundel::python
