#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// Returns ` (did you mean "FOLDER/NAME"?)` for the file in the same folder with the name closest
/// to that of the missing `path`; empty if no name is close. The extension must be that of `path`
/// or one of `endings` (".yaml").
std::string did_you_mean_file(const std::string& path,
                              const std::vector<std::string_view>& endings);

/// Throws Error(kInvalidScene) "PATH: no such file", with did_you_mean_file() or the path of an
/// installed example, if the file does not exist.
void check_file_exists(const std::string& path, const std::vector<std::string_view>& endings);

}  // namespace roundel
