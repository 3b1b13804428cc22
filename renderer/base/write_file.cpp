#include "renderer/base/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>

#include "renderer/base/atomic_file.h"
#include "renderer/base/error.h"

namespace roundel {
namespace {

/// Temporary files and new folders, for remove_temporary_files(): a fixed table, since a signal
/// handler must not allocate or lock.
struct TemporarySlot {
  enum State : int { kFree, kFilling, kListed, kTaken };
  std::atomic<int> state{kFree};
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
constinit TemporarySlot temporary_slots[1024];  // takes no time or memory before its first use
constexpr std::size_t kFolderSlots = 16;        // at the end of the table; files may take these too

std::atomic<int> threads_in_guard{0};   // creating a temporary file
std::atomic<bool> process_ends{false};  // a handler has begun to remove files

/// Stops a thread whose work is discarded.
[[noreturn]] void wait_for_exit() {
  for (;;) pause();
}

/// Makes creating and removing a temporary file atomic for signal handlers: they see the file and
/// its entry, or neither. A handler waits for guarded threads, and later threads stop. Signals are
/// blocked, so a handler never waits for its own thread.
class TemporaryGuard {
 public:
  TemporaryGuard() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask_before_);
    threads_in_guard.fetch_add(1);
    if (!process_ends.load()) return;
    threads_in_guard.fetch_sub(1);
    wait_for_exit();
  }
  ~TemporaryGuard() {
    const int saved_errno = errno;
    threads_in_guard.fetch_sub(1);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    errno = saved_errno;
  }
  TemporaryGuard(const TemporaryGuard&) = delete;
  TemporaryGuard& operator=(const TemporaryGuard&) = delete;

 private:
  sigset_t mask_before_;
};

/// Copies the mode and, if permitted, owner and group of the replaced file, as far as the file
/// system has these.
void take_over_owner_and_mode(int file, const struct stat& replaced) {
  struct stat status {};
  if (fstat(file, &status) != 0) return;
  mode_t mode = replaced.st_mode & 0777U;
  const bool is_other = status.st_uid != replaced.st_uid || status.st_gid != replaced.st_gid;
  constexpr uid_t kAsItIs = static_cast<uid_t>(-1);
  if (is_other && fchown(file, replaced.st_uid, replaced.st_gid) != 0 &&
      fchown(file, kAsItIs, replaced.st_gid) != 0) {
    mode = (mode & ~070U) | (mode & 07U) << 3U;  // these rights belonged to another group
  }
  static_cast<void>(fchmod(file, mode));
}

constexpr const char* kOpenFiles = "/proc/self/fd/";
constexpr std::string_view kTemporaryStart = ".roundel-";
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr const char* kCannotWrite = ": cannot write: ";

/// Returns the folder; "." for a bare name.
std::string folder_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return folder.empty() ? "." : folder;
}

std::string temporary_path(const std::string& path, const std::string& middle) {
  return path.substr(0, path.rfind('/') + 1) + std::string(kTemporaryStart) + middle +
         std::string(kTemporaryEnd);
}

std::string unique_path(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return temporary_path(path, std::to_string(getpid()) + "-" + std::to_string(counter++));
}

/// Temporary name that all processes use for this file. A hash, since the file's name may have the
/// maximum length; files with equal hashes wait for each other.
std::string common_path(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return temporary_path(path, fmt::format("{:016x}", XXH3_64bits(name.data(), name.size())));
}

/// True if the file system cannot sync this kind of file, such as folders.
bool is_unsupported(int sync_error) {
  return sync_error == EINVAL || sync_error == ENOSYS || sync_error == EOPNOTSUPP ||
         sync_error == EBADF;
}

/// Waits until the names in a folder are on the disk. Returns 0 or errno. `file`: synced instead if
/// the folder is unreadable; journals then write its name, too.
int sync_names(const std::string& folder, int file = -1) {
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int error = fsync(opened >= 0 ? opened : file) == 0 || is_unsupported(errno) ? 0 : errno;
  if (opened >= 0) close(opened);
  return error;
}

/// Starts writing a large file to the disk, so that FileSystems::sync() has less to wait for.
void start_writing(int file) {
  constexpr off_t kLarge = 1 << 16;
  struct stat status {};
  if (fstat(file, &status) == 0 && status.st_size >= kLarge)
    static_cast<void>(sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE));
}

Error cannot_sync(const std::string& path, const char* call, int error) {
  return {ExitCode::kRuntimeFailure,
          path + kCannotWrite + call + ": " + std::generic_category().message(error)};
}

std::string parent_folder(const std::string& path) {
  const std::filesystem::path folder(path);
  const std::filesystem::path parent =
      (folder.has_filename() ? folder : folder.parent_path()).parent_path();
  return parent.empty() ? "." : parent.string();
}

enum class Leftover {
  kGone,
  kInUse,   ///< by another process
  kUnknown  ///< the file system has no locks
};

/// True if the path still names the open file. `read_status`: stat or lstat.
bool is_at(int file, const char* path, int (*read_status)(const char*, struct stat*)) {
  struct stat opened {};
  struct stat named {};
  return fstat(file, &opened) == 0 && read_status(path, &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Removes a new folder, unless it has entries or another process holds its FolderLock.
/// Async-signal-safe.
void remove_new_folder(const char* path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_locked =
      folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_locked) rmdir(path);
  if (folder >= 0) close(folder);
}

/// Removes a temporary file that no process has locked. Its writer holds the lock until the process
/// ends in any way, also on other machines and in containers, where process ids mean nothing.
Leftover remove_leftover(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno == ENOENT ? Leftover::kGone : Leftover::kUnknown;
  Leftover result = Leftover::kGone;
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    result = errno == EWOULDBLOCK ? Leftover::kInUse : Leftover::kUnknown;
  } else {
    // Before we got the lock, its owner may have renamed the file, and another process created a
    // new one. Only the holder of the lock removes or renames it.
    if (is_at(file, path, lstat) && unlink(path) != 0) result = Leftover::kUnknown;
  }
  close(file);
  return result;
}

}  // namespace

std::string link_target(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  if (stat(path.c_str(), &status) ==
      0) {  // links in /dev/fd open files that their text does not name
    const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
    return real ? std::string(real.get()) : path;
  }
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; links < 40; ++links) {  // ends loops of links
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();
    target = target.parent_path() / next;
  }
  return path;
}

/// Registers a path for removal by signal handlers, for its lifetime. If all slots are taken, a
/// signal leaves the file.
class ListedPath {
 public:
  /// Takes the first free slot from this one on.
  explicit ListedPath(const std::string& path, std::size_t first_slot = 0) : path_(path) {
    if (path.size() >= sizeof(TemporarySlot::path)) return;
    for (std::size_t i = first_slot; i < std::size(temporary_slots); ++i) {
      TemporarySlot& slot = temporary_slots[i];
      int expected = TemporarySlot::kFree;
      if (!slot.state.compare_exchange_strong(expected, TemporarySlot::kFilling)) continue;
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.state.store(TemporarySlot::kListed);
      slot_ = i;
      return;
    }
  }
  ~ListedPath() {
    if (slot_ == kNone) return;
    // A slot that a handler has taken stays taken: the handler may still use its path.
    int expected = TemporarySlot::kListed;
    temporary_slots[slot_].state.compare_exchange_strong(expected, TemporarySlot::kFree);
  }
  ListedPath(const ListedPath&) = delete;
  ListedPath& operator=(const ListedPath&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::string path_;
  std::size_t slot_ = kNone;  ///< in temporary_slots
};

void AtomicFile::fail(int error, const char* call) const {
  if (process_ends.load()) wait_for_exit();  // the temporary file is gone
  const std::string message = path_ + kCannotWrite + (call != nullptr ? call : "") +
                              (call != nullptr ? ": " : "") +
                              std::generic_category().message(error);
  constexpr int kRefusals[] = {ENOENT,       ENOTDIR, EISDIR,  EACCES, EPERM,      EROFS, ELOOP,
                               ENAMETOOLONG, ENXIO,   ETXTBSY, ENOSYS, EOPNOTSUPP, EINVAL};
  const bool is_refused = std::count(std::begin(kRefusals), std::end(kRefusals), error) > 0;
  throw Error(is_refused ? ExitCode::kOutputRefused : ExitCode::kRuntimeFailure, message);
}

void AtomicFile::refuse_taken() const {
  throw Error(ExitCode::kOutputRefused,
              path_ + ": cannot write: the file exists and must not be replaced");
}

AtomicFile::AtomicFile(Unopened /*unused*/, const std::string& path, OverwriteRule rule)
    : path_(path), target_(rule == OverwriteRule::kFollow ? link_target(path) : path), rule_(rule) {
  if (const std::size_t nul = path_.find('\0'); nul != std::string::npos)
    throw Error(ExitCode::kOutputRefused,
                path_.substr(0, nul) + "\\x00: expected a path without NUL");
  if (target_.empty() || target_.back() == '/') fail(EISDIR);
  if (rule == OverwriteRule::kRefuse && open_nameless())
    return;  // give_name() reports a taken name
  struct stat status {};
  const auto read_status = rule == OverwriteRule::kFollow ? stat : lstat;
  if (read_status(target_.c_str(), &status) != 0) {
    if (errno == ELOOP) fail(ELOOP);
    return;
  }
  if (rule == OverwriteRule::kRefuse) refuse_taken();
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (S_ISREG(status.st_mode)) {
    // rename() would replace a read-only file.
    if (access(target_.c_str(), W_OK) != 0) fail(errno);
    replaced_ = status;
  } else if (rule == OverwriteRule::kFollow) {
    // Pipes and devices (/dev/stdout, /dev/null) cannot be renamed onto.
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
  } else if (!S_ISLNK(status.st_mode)) {
    throw Error(ExitCode::kOutputRefused, path_ + ": cannot write: not a regular file");
  }
}

AtomicFile::AtomicFile(const std::string& path, OverwriteRule rule)
    : AtomicFile(Unopened(), path, rule) {
  if (file_ < 0) open_unique();
}

std::unique_ptr<AtomicFile> AtomicFile::claim(const std::string& path) {
  std::unique_ptr<AtomicFile> file(new AtomicFile(Unopened(), path, OverwriteRule::kReplace));
  const std::string temporary = common_path(path);
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (file->open_temporary(temporary)) return file;
    const Leftover leftover = remove_leftover(temporary.c_str());
    if (leftover == Leftover::kInUse) return nullptr;
    if (leftover == Leftover::kUnknown) break;
  }
  file->open_unique();
  return file;
}

/// False if nameless files are unsupported.
bool AtomicFile::open_nameless() {
  static const bool can_name = access(kOpenFiles, X_OK) == 0;
  if (!can_name) return false;
  file_ = open(folder_of(target_).c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  is_nameless_ = file_ >= 0;
  return is_nameless_;
}

void AtomicFile::open_unique() {
  // A leftover of an earlier process with this id may have the name.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (open_temporary(unique_path(target_))) return;
  }
  fail(EEXIST);
}

/// False if the name is taken.
bool AtomicFile::open_temporary(const std::string& temporary) {
  const TemporaryGuard guard;
  auto listed = std::make_unique<ListedPath>(temporary);
  // The new file must not be readable by users who could not read the old one.
  const int file =
      open(listed->path(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced_ ? 0600 : 0666);
  if (file < 0 && errno == EEXIST) return false;
  if (file < 0) fail(errno);
  // remove_leftover() may have removed the file before we locked it, or be about to. File systems
  // without locks keep leftovers.
  struct stat status {};
  const bool is_locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_locked || fstat(file, &status) != 0 || status.st_nlink == 0) {
    close(file);
    return false;
  }
  file_ = file;
  temporary_ = std::move(listed);
  return true;
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  if (temporary_) {
    const TemporaryGuard guard;
    unlink(temporary_->path());
    temporary_.reset();
  }
  close(file_);
}

int write_to_descriptor(int descriptor, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting = {descriptor, POLLOUT, 0};
      if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void AtomicFile::write(std::span<const std::uint8_t> bytes) {
  if (const int error = write_to_descriptor(file_, bytes); error != 0) fail(error);
}

void AtomicFile::commit(Sync sync) {
  check_written();
  if (replaced_) take_over_owner_and_mode(file_, *replaced_);
  const bool gets_name = is_nameless_ || temporary_;
  if (gets_name && sync == Sync::kNow) sync_bytes();
  if (gets_name && sync == Sync::kLater) start_writing(file_);
  if (is_nameless_) give_name();
  if (temporary_) {
    // After this point another process may reuse the temporary name.
    const TemporaryGuard guard;
    rename_temporary();
    temporary_.reset();
  }
  if (gets_name && sync == Sync::kNow) {
    if (const int error = sync_names(folder_of(target_), file_)) fail(error, "fsync");
  }
  close(file_);
  file_ = -1;
}

void AtomicFile::sync_bytes() const {
  if (fdatasync(file_) != 0 && !is_unsupported(errno)) fail(errno, "fdatasync");
}

/// Some file systems (NFS, quotas) report a failed write only in close(). This closes a copy of the
/// descriptor; the original keeps the lock.
void AtomicFile::check_written() const {
  const int copy = fcntl(file_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) fail(errno);
  if (close(copy) != 0 && errno != EINTR) fail(errno);
}

/// Links the open file to its name, or copies it.
void AtomicFile::give_name() {
  const std::string open_file = kOpenFiles + std::to_string(file_);
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return;
  if (errno == EEXIST) refuse_taken();
  const int nameless = file_;
  open_unique();
  off_t copied = 0;
  ssize_t sent = 1;
  while (sent > 0 || (sent < 0 && errno == EINTR))
    sent = sendfile(file_, nameless, &copied, std::size_t{1} << 30);
  const int error = sent < 0 ? errno : 0;
  close(nameless);
  if (error != 0) fail(error);
  check_written();
}

void AtomicFile::rename_temporary() const {
  const char *const from = temporary_->path(), *const to = target_.c_str();
  if (rule_ == OverwriteRule::kRefuse) {
    // Unlike rename(), these fail if the name exists. Some file systems lack the first. Without
    // hard links, a file that appears now is replaced.
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) refuse_taken();
    const int error = link(from, to) == 0 ? 0 : errno;
    // Over a network the link may exist although its answer was lost.
    struct stat status {};
    if (error == 0 || (fstat(file_, &status) == 0 && status.st_nlink > 1)) {
      unlink(from);
      return;
    }
    if (error == EEXIST) refuse_taken();
  }
  if (std::rename(from, to) != 0) fail(errno, "rename");
}

FileSystems::~FileSystems() {
  for (const auto& [device, opened] : opened_) close(opened.descriptor);
}

void FileSystems::add(const std::string& folder) {
  if (folder == last_added_) return;
  const std::string path = folder.empty() ? "." : folder;
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0 ||
      !opened_.try_emplace(status.st_dev, Opened{descriptor, path}).second) {
    if (descriptor >= 0) close(descriptor);
  }
  last_added_ = folder;
}

void FileSystems::sync() const {
  for (const auto& [device, opened] : opened_)
    if (syncfs(opened.descriptor) != 0 && !is_unsupported(errno))
      throw cannot_sync(opened.folder, "syncfs", errno);
}

/// Keeps other processes from removing an empty folder.
class FolderLock {
 public:
  explicit FolderLock(int folder) : folder_(folder) { ++count; }
  ~FolderLock() {
    close(folder_);
    --count;
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  static inline std::atomic<std::size_t> count{0};  ///< each holds a descriptor

 private:
  int folder_;
};

NewFolders::NewFolders() = default;

NewFolders::NewFolders(const std::string& path) : NewFolders() {
  add(path);
}

NewFolders::~NewFolders() {
  remove_empty();
}

NewFolders folder_of_file(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(link_target(path)).parent_path();
  return NewFolders(folder.empty() ? "." : folder.string());
}

NewFolders::NewFolders(NewFolders&&) noexcept = default;

NewFolders& NewFolders::operator=(NewFolders&& other) noexcept {
  if (this == &other) return *this;
  remove_empty();
  made_ = std::move(other.made_);
  kept_ = std::move(other.kept_);
  return *this;
}

void NewFolders::remove_empty() {
  kept_.clear();
  for (; !made_.empty(); made_.pop_back()) remove_new_folder(made_.back()->path());
}

void NewFolders::add(const std::string& path, Sync sync) {
  constexpr int kAttempts = 20;  // another process may remove the folder meanwhile
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int reason = errno;
    if (folder >= 0) {
      auto lock = std::make_unique<FolderLock>(folder);
      if (FolderLock::count > kFolderSlots) return;
      const bool is_locked = flock(folder, LOCK_SH | LOCK_NB) == 0;
      if (!is_locked && errno != EWOULDBLOCK) return;  // the file system has no locks
      if (is_locked && is_at(folder, path.c_str(), stat)) {
        kept_.push_back(std::move(lock));
        return;
      }
      poll(nullptr, 0, 1);
      continue;
    }
    int error = 0;
    {
      const TemporaryGuard guard;
      auto listed = std::make_unique<ListedPath>(path, std::size(temporary_slots) - kFolderSlots);
      error = mkdir(path.c_str(), 0777) == 0 ? 0 : errno;
      if (error == 0) made_.push_back(std::move(listed));
    }
    const std::string parent = parent_folder(path);
    if (error == 0) {
      const int sync_error = sync == Sync::kNow ? sync_names(parent) : 0;
      if (sync_error != 0) throw cannot_sync(parent, "fsync", sync_error);
      return;
    }
    if (error == ENOENT && parent != path) {
      add(parent, sync);
    } else if (error != EEXIST) {
      throw Error(ExitCode::kOutputRefused,
                  path + ": cannot make the folder: " + std::generic_category().message(error));
    } else if (reason != ENOENT) {
      return;  // it exists, but cannot be opened
    }
  }
}

void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes,
                           OverwriteRule rule, Sync sync) {
  AtomicFile file(path, rule);
  file.write(bytes);
  file.commit(sync);
}

void write_text_atomically(const std::string& path, std::string_view text, Sync sync) {
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                        OverwriteRule::kFollow, sync);
}

void check_renames(const std::string& path, OverwriteRule rule) {
  const std::string target = rule == OverwriteRule::kFollow ? link_target(path) : path;
  struct stat status {};
  if (rule == OverwriteRule::kFollow && stat(target.c_str(), &status) == 0 &&
      !S_ISREG(status.st_mode))
    return;
  const ListedPath name(unique_path(target));
  try {
    AtomicFile(name.path(), rule).commit(Sync::kLater);
  } catch (const Error& error) {
    unlink(name.path());
    if (error.exit_code() != ExitCode::kOutputRefused) return;  // a full disk: writing reports it
    std::string reason = error.what();
    if (const std::size_t at = reason.rfind(kCannotWrite); at != std::string::npos)
      reason.erase(0, at + std::strlen(kCannotWrite));
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: cannot write to the folder \"{}\": {} (if files cannot be renamed "
                            "there, write to a local folder and copy)",
                            path, folder_of(target), reason));
  }
  unlink(name.path());
}

void remove_leftover_files(const std::string& folder, std::size_t max_names) noexcept {
  try {
    const std::string path = folder.empty() ? "." : folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (max_names-- == 0) return;
      const std::string name = entry.path().filename().string();
      if (name.starts_with(kTemporaryStart) && name.ends_with(kTemporaryEnd))
        remove_leftover(entry.path().c_str());
    }
  } catch (const std::exception&) {  // no such folder: writing to it reports that
  }
}

void remove_temporary_files() noexcept {
  const int saved_errno = errno;
  process_ends.store(true);
  // A file system may hang: the process ends after at most a second.
  for (int i = 0; i < 1000 && threads_in_guard.load() > 0; ++i) poll(nullptr, 0, 1);
  for (TemporarySlot& slot : temporary_slots) {
    int expected = TemporarySlot::kListed;
    if (slot.state.compare_exchange_strong(expected, TemporarySlot::kTaken)) unlink(slot.path);
  }
  // Folders come after the temporary files, each after those in it.
  for (std::size_t i = std::size(temporary_slots); i-- > 0;) {
    const TemporarySlot& slot = temporary_slots[i];
    if (slot.state.load() == TemporarySlot::kTaken) remove_new_folder(slot.path);
  }
  errno = saved_errno;
}

}  // namespace roundel
