#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/compare/picture_difference.h"

namespace roundel {

/// "differ: 12 pixels differ, at most 0 may; largest red 3, blue 1; RMSE …": one line without an
/// end, and without the files' names.
std::string difference_line(const PictureDifference& difference, const Verdict& verdict);

/// The same for programs; docs/diff.md lists the keys. Numbers that are infinite are null.
nlohmann::ordered_json difference_json(const PictureDifference& difference, const Verdict& verdict);

}  // namespace roundel
