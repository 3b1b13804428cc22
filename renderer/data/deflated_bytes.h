#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/data/array_table.h"
#include "renderer/data/zip_directory.h"

namespace roundel {

/// Random access to a deflated member of an archive: keeps a state of the decompressor per
/// `run_bytes()` (as zlib's examples/zran.c).
class DeflatedBytes final : public ByteSource {
 public:
  /// Unpacks the member once. Throws Error(kInvalidScene) "PATH: NAME: …" if it contradicts the
  /// directory.
  DeflatedBytes(std::shared_ptr<const InputFile> file, ZipMember member, std::uint64_t run_bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override;
  std::uint64_t run_bytes() const override { return run_bytes_; }
  std::uint64_t memory_bytes() const override;

 private:
  struct RestartPoint {
    std::uint64_t unpacked = 0;        ///< unpacked bytes before it
    std::uint64_t packed = 0;          ///< packed bytes before it, with its first byte
    int bits = 0;                      ///< unused bits of that byte
    std::vector<std::uint8_t> window;  ///< last unpacked bytes before it
  };

  std::shared_ptr<const InputFile> file_;
  ZipMember member_;
  std::uint64_t run_bytes_;
  std::vector<RestartPoint> points_;
};

}  // namespace roundel
