#include "renderer/compare/folder_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <utility>

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

constexpr int kPause = 5;  // milliseconds

/// `whole` locks the claims of all names.
bool lock_bytes(int descriptor, off_t start, bool whole = false) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = whole ? 0 : 1;
  return fcntl(descriptor, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

}  // namespace

FolderClaim::FolderClaim(const std::string& folder) {
  constexpr int kMinute = 60'000;  // milliseconds
  for (int waited = 0; waited <= kMinute; waited += kPause) {
    descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) return;
    const bool is_locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK) return;
    if (is_locked && is_at(descriptor_, folder)) return;
    close(descriptor_);
    descriptor_ = -1;
    poll(nullptr, 0, kPause);
  }
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: another process has been writing there for a minute: try again once "
                          "it has ended",
                          folder));
}

FolderClaim::~FolderClaim() {
  if (descriptor_ >= 0) close(descriptor_);
}

NameClaims::NameClaims(const std::string& folder) : folder_(folder), file_(folder_ / ".claims") {}

NameClaims::NameClaims(const std::string& folder, const std::vector<std::string>& names)
    : NameClaims(folder) {  // so that the destructor runs if this throws
  if (names.empty()) return;
  const auto cannot_claim = [this](const std::string& name) { return !try_claim(name); };
  // Another run may hold all names for a moment, to remove the file.
  for (int tries = 10;; poll(nullptr, 0, kPause)) {
    make_folder();
    if (!open_file()) return;
    const auto taken = std::find_if(names.begin(), names.end(), cannot_claim);
    if (taken == names.end() && is_at(descriptor_, file_)) return;
    close(std::exchange(descriptor_, -1));
    if (--tries > 0) continue;
    if (taken == names.end()) return;
    throw Error(ExitCode::kUsage,
                fmt::format("another regress writes {} with --output {}: wait for it, or give each "
                            "its own --output",
                            *taken, folder));
  }
}

NameClaims::~NameClaims() {
  struct stat status {};
  // The last run removes the file; a process that opened it before sees that it has gone.
  if (descriptor_ >= 0 && lock_bytes(descriptor_, 0, true) && is_at(descriptor_, file_) &&
      fstat(descriptor_, &status) == 0 && status.st_size == 0)
    unlink(file_.c_str());
  for (const fs::path& folder : made_)
    if (rmdir(folder.c_str()) != 0) break;
  if (descriptor_ >= 0) close(descriptor_);
}

bool NameClaims::try_claim(const std::string& name) const {
  return descriptor_ < 0 ||
         lock_bytes(descriptor_, static_cast<off_t>(XXH3_64bits(name.data(), name.size()) >> 2));
}

bool NameClaims::open_file() {
  constexpr mode_t kEverybody = 0666;
  struct stat status {};
  descriptor_ =
      ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kEverybody);
  if (descriptor_ < 0) return false;
  if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return true;
  close(std::exchange(descriptor_, -1));
  return false;
}

void NameClaims::make_folder() {
  std::error_code error;
  std::vector<fs::path> missing;
  fs::path path = folder_.has_filename() ? folder_ : folder_.parent_path();  // without a last slash
  for (; !path.empty() && !fs::exists(fs::symlink_status(path, error)); path = path.parent_path())
    missing.push_back(path);
  if (missing.empty()) return;
  fs::create_directories(folder_, error);
  if (!error) made_ = std::move(missing);
}

}  // namespace roundel
