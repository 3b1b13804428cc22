#include "renderer/raster/cuda/device_rows.h"

#include <type_traits>

#include "renderer/raster/cuda/shared_on_device.h"

namespace roundel::cuda {

std::shared_ptr<const DeviceRows> DeviceRows::get(const std::shared_ptr<const HeldRows>& rows,
                                                  cudaStream_t stream) {
  return SharedOnDevice<DeviceRows>::get(rows.get(), [&](DeviceRows& made) {
    rows->for_each_array([&](const auto& array) {
      if (!array.empty()) copy_to_device(std::as_bytes(array), made.arrays_[array.data()], stream);
    });
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream));  // for the streams of others
    made.rows_ = rows;
  });
}

std::uint64_t DeviceRows::bytes_of(const HeldRows& rows) {
  std::uint64_t bytes = 0;
  rows.for_each_array([&](const auto& array) { bytes += array.size_bytes(); });
  return bytes;
}

RowLaws DeviceRows::on_device(RowLaws laws) const {
  laws.for_each_array([&](auto*& array) {
    using Array = std::remove_reference_t<decltype(array)>;
    if (array != nullptr) array = reinterpret_cast<Array>(arrays_.at(array).data());
  });
  return laws;
}

}  // namespace roundel::cuda
