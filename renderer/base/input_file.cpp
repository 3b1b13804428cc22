#include "renderer/base/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "renderer/base/error.h"

namespace roundel {

InputFile::InputFile(const std::string& path)
    : path_(path),
      // Without O_NONBLOCK a FIFO that nobody writes to would hold us for ever.
      descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
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
  size_ = static_cast<std::size_t>(status.st_size);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::fail_with_errno(const char* what) const {
  throw Error(ExitCode::kRuntimeFailure,
              path_ + ": " + what + ": " + std::generic_category().message(errno));
}

std::string InputFile::read(std::size_t limit) const {
  std::string bytes(std::min(limit, size_), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor_, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno("cannot read");
    if (got == 0) break;  // it has become shorter since
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

MappedFile::MappedFile(const std::string& path) {
  const InputFile file(path);
  if (file.size() == 0) return;
  void* address = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
  if (address == MAP_FAILED) file.fail_with_errno("cannot map into memory");
  // Pictures are decoded, arrays hashed and read, from front to back.
  ::madvise(address, file.size(), MADV_SEQUENTIAL);
  bytes_ = {static_cast<const std::byte*>(address), file.size()};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace roundel
