#include "python/pixels.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "python/gil.h"

namespace py = pybind11;

namespace roundel::python {

const char* name_of(SampleType type) {
  return type == SampleType::kFloat32  ? "float32"
         : type == SampleType::kUint16 ? "uint16"
                                       : "uint8";
}

void find_numpy() {
  static std::atomic<bool> is_found{false};
  if (is_found) return;
  // A forked process makes a new one, since this one may stay locked there.
  static std::mutex* numpy_mutex = new std::mutex();
  static const int has_handler = ::pthread_atfork(nullptr, nullptr, [] {
    if (!is_found) numpy_mutex = new std::mutex();
  });
  static_cast<void>(has_handler);
  std::unique_lock lock(*numpy_mutex, std::defer_lock);
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
