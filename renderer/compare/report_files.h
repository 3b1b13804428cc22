#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

using ReportJson = nlohmann::ordered_json;

/// Inside the report's folder.
inline constexpr const char* kPictureFolder = "pictures";

/// Writes at most `byte_limit` bytes to FOLDER/pictures, smallest files first, so that large ones
/// do not displace others. Adds their places, or why they are missing, to the entries of `json`.
void write_report_files(const std::string& folder, const std::vector<const PairResult*>& failures,
                        std::uint64_t byte_limit, ReportJson& json);

}  // namespace roundel
