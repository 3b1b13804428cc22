#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include "renderer/base/error.h"
#include "renderer/image/files.h"

namespace roundel {
namespace {

/// The temporary files that exist now, for remove_temporary_files in a signal handler: a fixed
/// table, because a handler may neither allocate nor lock.
struct TemporarySlot {
  enum State : int { kFree, kFilling, kListed, kTaken };
  std::atomic<int> state{kFree};
  char path[PATH_MAX];
};
static_assert(std::atomic<int>::is_always_lock_free);
TemporarySlot temporary_slots[64];

/// Lists a path from construction to destruction. With more writers at once than slots, the file of
/// one too many is not listed; only a signal would then leave it behind.
class ListedTemporary {
 public:
  explicit ListedTemporary(const std::string& path) {
    if (path.size() >= sizeof(TemporarySlot::path)) return;
    for (TemporarySlot& slot : temporary_slots) {
      int expected = TemporarySlot::kFree;
      if (!slot.state.compare_exchange_strong(expected, TemporarySlot::kFilling)) continue;
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.state.store(TemporarySlot::kListed);
      slot_ = &slot;
      return;
    }
  }
  ~ListedTemporary() {
    // A slot that a handler has taken stays taken: its path may still be in use there.
    int expected = TemporarySlot::kListed;
    if (slot_ != nullptr) slot_->state.compare_exchange_strong(expected, TemporarySlot::kFree);
  }
  ListedTemporary(const ListedTemporary&) = delete;
  ListedTemporary& operator=(const ListedTemporary&) = delete;

 private:
  TemporarySlot* slot_ = nullptr;
};

[[noreturn]] void fail(const std::string& path, int error) {
  const std::string message = path + ": cannot write: " + std::generic_category().message(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
    case ETXTBSY:
      throw Error(ExitCode::kOutputRefused, message);
    default:
      throw Error(ExitCode::kRuntimeFailure, message);
  }
}

/// Writes all bytes and closes the file. 0 or an errno.
int write_and_close(int file, std::span<const std::uint8_t> bytes) {
  int error = 0;
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      error = errno;
      break;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  // Some file systems (NFS, quotas) report a failed write no sooner than here.
  if (close(file) != 0 && error == 0 && errno != EINTR) error = errno;
  return error;
}

/// The file a symbolic link stands for, so that the link itself stays; `path` for all others.
std::string resolve_link(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

std::string temporary_path(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  // Not made from the file's name, which may have the greatest length already.
  return directory + ".roundel-" + std::to_string(getpid()) + "-" + std::to_string(counter++) +
         ".tmp";
}

}  // namespace

void remove_temporary_files() noexcept {
  const int saved_errno = errno;
  for (TemporarySlot& slot : temporary_slots) {
    int expected = TemporarySlot::kListed;
    if (slot.state.compare_exchange_strong(expected, TemporarySlot::kTaken)) unlink(slot.path);
  }
  errno = saved_errno;
}

void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes) {
  const std::string target = resolve_link(path);
  if (target.empty() || target.back() == '/') fail(path, EISDIR);
  struct stat status {};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    // A pipe or a device (/dev/stdout, /dev/null): nothing to rename onto, it just gets the bytes.
    const int file = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) fail(path, errno);
    const int error = write_and_close(file, bytes);
    if (error != 0) fail(path, error);
    return;
  }
  // rename() would replace a file that its owner has made read-only.
  if (exists && access(target.c_str(), W_OK) != 0) fail(path, errno);

  // A leftover of an earlier process with this id may have the name: take the next one.
  int file = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string temporary = temporary_path(target);
    const ListedTemporary listed(temporary);
    file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
      if (errno == EEXIST) continue;
      fail(path, errno);
    }
    int error = write_and_close(file, bytes);
    // No fsync: it would cost more than rendering a frame does, and guards against power loss only.
    // A process that dies leaves `path` whole, old or new, without it.
    if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
    if (error != 0) {
      unlink(temporary.c_str());
      fail(path, error);
    }
    return;
  }
  fail(path, EEXIST);
}

}  // namespace roundel
