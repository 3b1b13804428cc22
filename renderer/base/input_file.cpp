#include "renderer/base/input_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"

namespace roundel {
namespace {

int open_to_read(const char* path) {
  // Without O_NONBLOCK a FIFO without a writer would block.
  return ::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/// Throws Error if the path contains NUL, where the system would cut it.
const std::string& checked(const std::string& path) {
  const std::size_t nul = path.find('\0');
  if (nul == std::string::npos) return path;
  throw Error(ExitCode::kInvalidScene, path.substr(0, nul) + "\\x00: expected a path without NUL");
}

/// Data files stay open as long as their scenes, and can exceed the usual limit of 1024.
bool allow_more_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/// Ignores st_ctim, which renaming changes too.
FileStamp stamp_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return stamp_of(status);
}

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(open_to_read(checked(path).c_str())) {
  if (descriptor_ < 0 && errno == EMFILE && allow_more_files())
    descriptor_ = open_to_read(path.c_str());
  if (descriptor_ < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      throw Error(ExitCode::kInvalidScene, path + ": no such file");
    if (errno == ENAMETOOLONG || errno == ELOOP || errno == ENXIO)
      throw Error(ExitCode::kInvalidScene, path + ": " + std::generic_category().message(errno));
    fail_with_errno("cannot open");
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int code = errno;
    ::close(descriptor_);
    errno = code;
    fail_with_errno("cannot open");
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw Error(ExitCode::kInvalidScene,
                path + (S_ISDIR(status.st_mode) ? ": expected a file, got a directory"
                                                : ": expected a regular file"));
  }
  stamp_ = stamp_of(status);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::fail_with_errno(const char* what) const {
  throw Error(ExitCode::kRuntimeFailure,
              path_ + ": " + what + ": " + std::generic_category().message(errno));
}

void InputFile::fail_as_changed() const {
  throw Error(ExitCode::kRuntimeFailure, path_ + ": has changed while it was read");
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno("cannot read");
    if (got == 0) fail_as_changed();
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

std::string InputFile::read(std::size_t limit) const {
  std::string bytes(std::min<std::uint64_t>(limit, size()), '\0');
  read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

void InputFile::check_fits_memory() const {
  roundel::check_fits_memory(path_, "bytes", size());
}

Buffer<std::byte> InputFile::read_all() const {
  check_fits_memory();
  Buffer<std::byte> bytes(size());
  read_at(0, bytes.span());
  check_unchanged();
  return bytes;
}

void InputFile::check_unchanged() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_with_errno("cannot read");
  if (stamp_of(status) != stamp_) fail_as_changed();
}

}  // namespace roundel
