#pragma once
#include <cstdint>

/// Structs of DLPack 0.8 for exchange between libraries, copied as intended from dlpack/dlpack.h of
/// https://github.com/dmlc/dlpack: only the memory layout counts.
namespace roundel::python::dlpack {

inline constexpr std::int32_t kCuda = 2;                  // kDLCUDA
inline constexpr std::uint8_t kUnsigned = 1, kFloat = 2;  // kDLUInt, kDLFloat

struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  DataType type;
  std::int64_t *shape, *strides;  ///< in elements; null strides: contiguous rows
  std::uint64_t byte_offset;
};
/// In a capsule named "dltensor"; the consumer renames it "used_dltensor" and calls the deleter.
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor* self);
};

}  // namespace roundel::python::dlpack
