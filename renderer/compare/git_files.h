#pragma once
#include <string>
#include <string_view>

namespace roundel {

/// True for a pointer, a file that was not fetched. False if it cannot be read.
bool is_lfs_pointer(const std::string& path);
/// Throws Error(kInvalidScene) "PATH: is a Git LFS pointer: …".
void check_no_lfs_pointer(const std::string& path, std::string_view start);

/// Throws Error(kInvalidScene) for a Git LFS pointer, and, with its line, for a conflict of git.
void check_git_text(const std::string& path, const std::string& text);

}  // namespace roundel
