#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/lab/primitives/variant.h"

namespace roundel::primitives {

/// Rows of each primitive on CUDA device 0. The host's input is copied to the device once; each run
/// copies its result to the host, for Primitive::is_right(). Spans and references must outlive the
/// variants. Empty without a device.
std::vector<Variant> device_saxpy_variants(float a, std::span<const float> x, std::span<float> y,
                                           int& runs);
std::vector<Variant> device_scan_variants(std::span<const std::int32_t> in,
                                          std::span<std::int32_t> out, std::int64_t& total,
                                          bool& has_total);
std::vector<Variant> device_compaction_variants(std::span<const std::int32_t> in,
                                                std::span<std::int32_t> out, std::uint64_t& count);
/// Keeps elements below `limit`.
std::vector<Variant> device_selection_variants(std::span<const std::int32_t> in, std::int32_t limit,
                                               std::span<std::int32_t> out, std::uint64_t& count);
std::vector<Variant> device_find_repeats_variants(std::span<const std::int32_t> in,
                                                  std::span<std::uint32_t> out,
                                                  std::uint64_t& count);

/// Returns the reason for missing rows of a device: "no CUDA device", or the driver's. Empty if
/// there is a device.
std::string missing_device_reason();

}  // namespace roundel::primitives
