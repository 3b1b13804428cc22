#include "renderer/compare/folder_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// True unless the folder was removed after it was opened.
bool is_at(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

FolderClaim::FolderClaim(const std::string& folder, Kind kind) {
  constexpr int kPause = 5, kMinute = 60'000;  // milliseconds
  // Another process may hold the folder for a moment, to check whether it is empty.
  const int patience = kind == Kind::kOutput ? 10 * kPause : kMinute;
  for (int waited = 0; waited <= patience; waited += kPause) {
    if (kind == Kind::kOutput) make(folder);
    descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) return;
    const bool is_locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK) return;
    if (is_locked && is_at(descriptor_, folder)) return;
    close(descriptor_);
    descriptor_ = -1;
    poll(nullptr, 0, kPause);
  }
  if (kind == Kind::kOutput)
    throw Error(ExitCode::kUsage,
                fmt::format("another regress writes to {}: give each its own --output", folder));
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: another process has been writing there for a minute: try again once "
                          "it has ended",
                          folder));
}

FolderClaim::~FolderClaim() {
  for (const fs::path& folder : made_)
    if (rmdir(folder.c_str()) != 0) break;
  if (descriptor_ >= 0) close(descriptor_);
}

void FolderClaim::make(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> missing;
  fs::path path = folder.has_filename() ? folder : folder.parent_path();  // without a last slash
  for (; !path.empty() && !fs::exists(fs::symlink_status(path, error)); path = path.parent_path())
    missing.push_back(path);
  if (missing.empty()) return;
  fs::create_directories(folder, error);
  if (!error) made_ = std::move(missing);
}

}  // namespace roundel
