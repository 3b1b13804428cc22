#include "renderer/compare/git_files.h"

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr std::string_view kLfsStart = "version https://git-lfs.github.com/spec/";

}  // namespace

bool is_lfs_pointer(const std::string& path) {
  bool is_pointer = false;
  catch_error([&] { is_pointer = InputFile(path).read(kLfsStart.size()) == kLfsStart; });
  return is_pointer;
}

void check_no_lfs_pointer(const std::string& path, std::string_view start) {
  if (start.starts_with(kLfsStart))
    throw Error(ExitCode::kInvalidScene, path + ": is a Git LFS pointer: git lfs pull");
}

void check_git_text(const std::string& path, const std::string& text) {
  check_no_lfs_pointer(path, text);
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (!line.starts_with("<<<<<<< ") && !line.starts_with(">>>>>>> ")) continue;
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}:{}:1: conflict marker {}: keep the lines of one side, or of both, "
                            "and remove the markers",
                            path, number, roundel::quoted(line)));
  }
}

}  // namespace roundel
