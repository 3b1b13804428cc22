#include "renderer/image/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "renderer/base/error.h"

namespace roundel {
namespace {

[[noreturn]] void fail(ExitCode exit_code, const std::string& path, int error) {
  throw Error(exit_code, path + ": " + std::generic_category().message(error));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // Not blocking: a FIFO would wait for a writer before it could be refused.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(ExitCode::kInvalidScene, path, errno);
  struct stat status {};
  if (fstat(file, &status) != 0) {
    const int error = errno;
    close(file);
    fail(ExitCode::kRuntimeFailure, path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    close(file);
    throw Error(ExitCode::kInvalidScene, path + ": expected a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* map = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) {
      const int error = errno;
      close(file);
      fail(ExitCode::kRuntimeFailure, path, error);
    }
    data_ = static_cast<const std::uint8_t*>(map);
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace roundel
