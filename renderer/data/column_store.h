#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Keeps blocks of bytes in memory; beyond a limit, in a nameless file.
class ColumnStore {
 public:
  /// `owner`: prefix of messages. `max_memory`: bytes.
  ColumnStore(std::string owner, std::uint64_t max_memory)
      : owner_(std::move(owner)), max_memory_(max_memory) {}
  ~ColumnStore();
  ColumnStore(const ColumnStore&) = delete;
  ColumnStore& operator=(const ColumnStore&) = delete;

  /// Throws Error(kRuntimeFailure) if no folder can hold the file or the disk is full.
  void add(Buffer<std::byte> block);
  void clear();
  /// The bytes may lie in `scratch`. Thread-safe.
  std::span<const std::byte> bytes(std::size_t block, std::uint64_t offset, std::uint64_t count,
                                   Buffer<std::byte>& scratch) const;
  /// Folder of the file; empty without a file.
  const std::string& folder() const { return folder_; }
  std::uint64_t memory_bytes() const { return file_ < 0 ? bytes_ : 0; }
  std::uint64_t file_bytes() const { return file_ < 0 ? 0 : bytes_; }

 private:
  /// Opens it in TMPDIR or /var/tmp, the first on a disk.
  void open_file();
  void write(std::span<const std::byte> block);

  std::string owner_, folder_;
  std::uint64_t max_memory_;
  std::vector<Buffer<std::byte>> blocks_;  ///< without a file
  std::vector<std::uint64_t> offsets_;     ///< in the file
  std::uint64_t bytes_ = 0;
  int file_ = -1;
};

}  // namespace roundel
