#include "tools/lab/primitives/cuda/device_rows.h"

namespace roundel::primitives {

std::vector<Variant> device_saxpy_variants(float, std::span<const float>, std::span<float>, int&) {
  return {};
}
std::vector<Variant> device_scan_variants(std::span<const std::int32_t>, std::span<std::int32_t>,
                                          std::int64_t&, bool&) {
  return {};
}
std::vector<Variant> device_compaction_variants(std::span<const std::int32_t>,
                                                std::span<std::int32_t>, std::uint64_t&) {
  return {};
}
std::vector<Variant> device_selection_variants(std::span<const std::int32_t>, std::int32_t,
                                               std::span<std::int32_t>, std::uint64_t&) {
  return {};
}
std::vector<Variant> device_find_repeats_variants(std::span<const std::int32_t>,
                                                  std::span<std::uint32_t>, std::uint64_t&) {
  return {};
}

std::string missing_device_reason() {
  return "this version was built without CUDA 12.4 or newer";
}

}  // namespace roundel::primitives
