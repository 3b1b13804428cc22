#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

using ReportJson = nlohmann::ordered_json;

/// Below the report's folder.
inline constexpr const char* kPictureFolder = "pictures";

/// Writes the pictures of `failures` to FOLDER/pictures, at most `room` bytes of them, those of the
/// smallest files first, so that a few large ones leave none of the others out. Adds to each entry
/// of `json` where its pictures are, or why they are not there.
void write_report_files(const std::string& folder, const std::vector<const PairResult*>& failures,
                        std::uint64_t room, ReportJson& json);

}  // namespace roundel
