#include "python/device_array.h"

#include <array>
#include <utility>

#include "python/dlpack.h"
#include "python/errors.h"
#include "renderer/raster/device_memory.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

/// A capsule's tensor, as long as it is in use.
struct SharedTensor {
  dlpack::ManagedTensor managed;
  std::array<std::int64_t, 3> shape;
  std::shared_ptr<void> samples;
};

constexpr const char* kCapsule = "dltensor";

/// For a capsule that was not consumed.
void destroy(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsule) == 0) return;
  auto* const tensor = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
  tensor->deleter(tensor);
}

}  // namespace

py::tuple DeviceArray::shape() const {
  return py::make_tuple(height_, width_, channels_);
}

py::dict DeviceArray::cuda_array_interface() const {
  find_numpy();
  py::dict interface;
  interface["version"] = 3;
  interface["shape"] = shape();
  interface["typestr"] = py::dtype(dtype()).attr("str");
  interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(samples_.get()), false);
  interface["strides"] = py::none();
  interface["stream"] = py::none();  // complete already
  return interface;
}

py::tuple DeviceArray::dlpack_device() const {
  return py::make_tuple(dlpack::kCuda, device_);
}

py::object DeviceArray::dlpack(const py::object& device, const py::object& copy) const {
  if (!device.is_none() && !device.equal(dlpack_device()))
    throw py::buffer_error("the picture is on CUDA device " + std::to_string(device_) +
                           "; expected dl_device=(2, " + std::to_string(device_) + ")");
  if (!copy.is_none() && copy.cast<bool>())
    throw py::buffer_error("expected copy=False: the picture is shared, not copied");
  auto shared = std::make_unique<SharedTensor>();
  shared->samples = samples_;
  shared->shape = {height_, width_, channels_};
  const auto bits = static_cast<std::uint8_t>(8 * sample_bytes(type_));
  const std::uint8_t code = type_ == SampleType::kFloat32 ? dlpack::kFloat : dlpack::kUnsigned;
  shared->managed = {
      {samples_.get(),
       {dlpack::kCuda, device_},
       static_cast<std::int32_t>(shared->shape.size()),
       {code, bits, 1},
       shared->shape.data(),
       nullptr,
       0},
      shared.get(),
      [](dlpack::ManagedTensor* self) { delete static_cast<SharedTensor*>(self->context); }};
  PyObject* const capsule = PyCapsule_New(&shared->managed, kCapsule, destroy);
  if (capsule == nullptr) throw py::error_already_set();
  shared.release();
  return py::reinterpret_steal<py::object>(capsule);
}

py::array DeviceArray::numpy() const {
  Pixels pixels{width_, height_, channels_, type_, {}};
  const std::size_t size =
      pixel_count(width_, height_) * static_cast<std::size_t>(channels_) * sample_bytes(type_);
  pixels.bytes = Buffer<std::uint8_t>(size);
  without_gil([&] { copy_from_device(samples_.get(), size, size, 1, pixels.bytes.data()); });
  return array_of(std::move(pixels));
}

}  // namespace roundel::python
