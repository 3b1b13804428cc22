#pragma once
#include <pybind11/numpy.h>

#include <memory>
#include <string>

#include "python/pixels.h"

namespace roundel::python {

/// A finished picture in a CUDA device's memory, for other libraries there: by DLPack
/// (https://dmlc.github.io/dlpack) and by the CUDA Array Interface, version 3.
class DeviceArray {
 public:
  /// `made`: shape and type, without pixels.
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
  /// Returns a capsule that keeps the memory while it is in use, even after this object.
  pybind11::object dlpack(const pybind11::object& device, const pybind11::object& copy) const;
  /// Returns a copy in main memory.
  pybind11::array numpy() const;

 private:
  int width_, height_, channels_;
  SampleType type_;
  std::shared_ptr<void> samples_;
  int device_;
};

}  // namespace roundel::python
