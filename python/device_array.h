#pragma once
#include <pybind11/numpy.h>

#include <memory>
#include <string>

#include "python/pixels.h"

namespace roundel::python {

/// A picture in a CUDA device's memory, for other libraries there: by DLPack
/// (https://dmlc.github.io/dlpack) and by the CUDA Array Interface, version 3. All work on it has
/// been done.
class DeviceArray {
 public:
  /// `made`: its pixels are empty.
  DeviceArray(const Pixels& made, std::shared_ptr<void> samples, int device)
      : width_(made.width),
        height_(made.height),
        channels_(made.channels),
        type_(made.type),
        samples_(std::move(samples)),
        device_(device) {}

  pybind11::tuple shape() const;
  std::string dtype() const { return name_of(type_); }
  pybind11::dict cuda_array_interface() const;
  pybind11::tuple dlpack_device() const;
  /// A capsule that keeps the memory as long as it is used, whatever becomes of this.
  pybind11::object dlpack(const pybind11::object& device, const pybind11::object& copy) const;
  /// A copy in main memory.
  pybind11::array numpy() const;

 private:
  int width_, height_, channels_;
  SampleType type_;
  std::shared_ptr<void> samples_;
  int device_;
};

}  // namespace roundel::python
