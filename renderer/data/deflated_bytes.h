#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/data/array_table.h"
#include "renderer/data/zip_directory.h"

namespace roundel {

/// Random access to a deflated member of an archive: keeps a state of the decompressor for every
/// `run_bytes()` (as zlib's examples/zran.c does).
class DeflatedBytes final : public ByteSource {
 public:
  /// Unpacks the member once. Throws Error(kInvalidScene) "PATH: NAME: …" if it contradicts the
  /// directory.
  DeflatedBytes(std::shared_ptr<const InputFile> file, ZipMember member, std::uint64_t run_bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override;
  std::uint64_t run_bytes() const override { return run_bytes_; }
  std::uint64_t memory_bytes() const override;

 private:
  /// Start of a block of packed bytes.
  struct RestartPoint {
    std::uint64_t unpacked = 0;        ///< unpacked bytes before it
    std::uint64_t packed = 0;          ///< packed bytes before it, with the byte it begins in
    int bits = 0;                      ///< unused bits of that byte
    std::vector<std::uint8_t> window;  ///< unpacked bytes that it may refer to
  };

  std::shared_ptr<const InputFile> file_;
  ZipMember member_;
  std::uint64_t run_bytes_;
  std::vector<RestartPoint> points_;
};

}  // namespace roundel
