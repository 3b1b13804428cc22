#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// ` (did you mean "FOLDER/NAME"?)` for the file in the folder of the missing `path` with the
/// closest name, and the extension of `path` or one of `endings` (".yaml"); empty if none is close.
std::string did_you_mean_file(const std::string& path,
                              const std::vector<std::string_view>& endings);

/// Throws Error(kInvalidScene) "PATH: no such file", with did_you_mean_file() or the path of an
/// installed example.
void check_file_exists(const std::string& path, const std::vector<std::string_view>& endings);

}  // namespace roundel
