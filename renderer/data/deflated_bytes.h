#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/data/array_table.h"
#include "renderer/data/zip_directory.h"

namespace roundel {

/// The bytes of a deflated member of an archive, which can be read from anywhere: for every
/// `run_bytes()` it remembers a state of the decompressor (as zlib's examples/zran.c does).
class DeflatedBytes final : public ByteSource {
 public:
  /// Unpacks the member once. Throws Error(kInvalidScene) "PATH: NAME: …" where it is not what the
  /// directory says.
  DeflatedBytes(std::shared_ptr<const InputFile> file, ZipMember member, std::uint64_t run_bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override;
  std::uint64_t run_bytes() const override { return run_bytes_; }
  std::uint64_t memory_bytes() const override;

 private:
  /// Where a block of the packed bytes begins.
  struct RestartPoint {
    std::uint64_t unpacked = 0;        ///< bytes before it
    std::uint64_t packed = 0;          ///< bytes before it, with the one it begins in
    int bits = 0;                      ///< of that one
    std::vector<std::uint8_t> window;  ///< the unpacked bytes that it may refer to
  };

  std::shared_ptr<const InputFile> file_;
  ZipMember member_;
  std::uint64_t run_bytes_;
  std::vector<RestartPoint> points_;
};

}  // namespace roundel
