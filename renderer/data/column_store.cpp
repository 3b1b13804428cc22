#include "renderer/data/column_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "renderer/base/error.h"

namespace roundel {
namespace {

std::string message_of(int code) {
  return std::generic_category().message(code);
}

/// Returns a descriptor, or −1 and errno.
int open_nameless(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = folder + "/roundel-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

/// True for file systems in main memory.
bool is_in_memory(int file) {
  struct statfs status {};
  return ::fstatfs(file, &status) == 0 &&
         (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

}  // namespace

ColumnStore::~ColumnStore() {
  if (file_ >= 0) ::close(file_);
}

void ColumnStore::add(Buffer<std::byte> block) {
  if (file_ < 0 && block.size() > max_memory_ - bytes_) {
    open_file();
    bytes_ = 0;
    for (Buffer<std::byte>& earlier : blocks_) {
      write(earlier.span());
      earlier = {};
    }
    blocks_.clear();
    trim_heap();
  }
  if (file_ >= 0) return write(block.span());
  bytes_ += block.size();
  blocks_.push_back(std::move(block));
}

void ColumnStore::clear() {
  blocks_.clear();
  offsets_.clear();
  bytes_ = 0;
}

void ColumnStore::open_file() {
  const char* const temporary_folder = std::getenv("TMPDIR");
  std::string problems;
  for (const std::string& folder :
       {std::string(temporary_folder == nullptr ? "" : temporary_folder),
        std::string("/var/tmp")}) {
    if (folder.empty()) continue;
    const int file = open_nameless(folder);
    if (file >= 0 && !is_in_memory(file)) {
      file_ = file;
      folder_ = folder;
      return;
    }
    problems += fmt::format("{}{}: {}", problems.empty() ? "" : ", ", folder,
                            file < 0 ? message_of(errno) : "in memory, not on a disk");
    if (file >= 0) ::close(file);
  }
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: its columns do not fit in memory, and no folder takes them ({}); "
                          "set TMPDIR to a folder on a disk, or give more --memory",
                          owner_, problems));
}

void ColumnStore::write(std::span<const std::byte> block) {
  offsets_.push_back(bytes_);
  while (!block.empty()) {
    const ssize_t written = ::pwrite(file_, block.data(), block.size(), static_cast<off_t>(bytes_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw Error(ExitCode::kRuntimeFailure,
                  fmt::format("{}: cannot write its columns to a temporary file in {}: {}; set "
                              "TMPDIR to a folder with more space, or give more --memory",
                              owner_, folder_, message_of(written < 0 ? errno : ENOSPC)));
    bytes_ += static_cast<std::uint64_t>(written);
    block = block.subspan(static_cast<std::size_t>(written));
  }
}

std::span<const std::byte> ColumnStore::bytes(std::size_t block, std::uint64_t offset,
                                              std::uint64_t count,
                                              Buffer<std::byte>& scratch) const {
  if (file_ < 0) return blocks_[block].span().subspan(offset, count);
  if (scratch.size() < count) scratch.resize_discard(count);
  for (std::uint64_t done = 0; done < count;) {
    const ssize_t got = ::pread(file_, scratch.data() + done, count - done,
                                static_cast<off_t>(offsets_[block] + offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error(ExitCode::kRuntimeFailure,
                  fmt::format("{}: cannot read its columns from a temporary file in {}: {}", owner_,
                              folder_, message_of(got < 0 ? errno : EIO)));
    done += static_cast<std::uint64_t>(got);
  }
  return scratch.span().first(count);
}

}  // namespace roundel
