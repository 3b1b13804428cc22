#pragma once
#include <cstddef>
#include <span>
#include <string>

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
  /// Maps all of it, read-only; empty for an empty file. The caller unmaps it.
  std::span<const std::byte> map() const;

 private:
  [[noreturn]] void fail_with_errno(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace roundel
