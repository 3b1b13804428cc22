#pragma once
#include <string>
#include <string_view>

namespace roundel {

/// True for a file that is a Git LFS pointer: its content has not been fetched. False where it
/// cannot be read.
bool is_lfs_pointer(const std::string& path);
/// Throws Error(kInvalidScene) "PATH: is a Git LFS pointer: …" where a file begins as one.
void check_no_lfs_pointer(const std::string& path, std::string_view start);

/// Throws Error(kInvalidScene), with its line, where git has left a conflict in the text of a file,
/// and where the file is a Git LFS pointer.
void check_git_text(const std::string& path, const std::string& text);

}  // namespace roundel
