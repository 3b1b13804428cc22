#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace roundel {

/// A regular file, memory-mapped read-only for the life of the object: nothing is allocated in
/// proportion to its size.
class MappedFile {
 public:
  /// Throws Error(kInvalidScene) "PATH: …" when the file cannot be opened, Error(kRuntimeFailure)
  /// when it cannot be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace roundel
