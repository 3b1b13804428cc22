#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace roundel {

/// A regular file, open for reading. Errors are Error(kInvalidScene) "PATH: …" where the path does
/// not name a regular file, Error(kRuntimeFailure) where the system refuses to open or read it.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Bytes, when it was opened.
  std::size_t size() const { return size_; }
  /// The file's bytes, but at most `limit`.
  std::string read(std::size_t limit) const;

 private:
  friend class MappedFile;
  [[noreturn]] void fail_with_errno(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

/// A whole file, memory-mapped read-only for the life of the object: nothing is allocated in
/// proportion to its size.
class MappedFile {
 public:
  /// Errors are InputFile's.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace roundel
