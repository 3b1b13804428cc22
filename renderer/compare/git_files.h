#pragma once
#include <string>
#include <string_view>

namespace roundel {

/// True for a Git LFS pointer, a file whose content was not fetched. False if it cannot be read.
bool is_lfs_pointer(const std::string& path);
/// Throws Error(kInvalidScene) "PATH: is a Git LFS pointer: …" if `start`, the file's begin, is
/// one.
void check_no_lfs_pointer(const std::string& path, std::string_view start);

/// Throws Error(kInvalidScene) for a Git LFS pointer, and, with its line, for a conflict that git
/// has left in the text.
void check_git_text(const std::string& path, const std::string& text);

}  // namespace roundel
