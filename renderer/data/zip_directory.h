#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/input_file.h"

namespace roundel {

struct ZipMember {
  std::string name;
  bool is_deflated = false;        ///< else stored
  std::uint64_t offset = 0;        ///< in the file
  std::uint64_t packed_bytes = 0;  ///< in the file
  std::uint64_t bytes = 0;         ///< unpacked size
  std::uint32_t checksum = 0;      ///< CRC-32, unpacked
};

/// Throws Error(kInvalidScene) "PATH: NAME: …" for another checksum than the directory's.
void check_checksum(const InputFile& file, const ZipMember& member, std::uint32_t found);

/// Members of a ZIP archive, zip64 too, in the order of its directory. Throws Error(kInvalidScene)
/// "PATH: …" if it is broken, encrypted, packed by another method, or if members overlap or unpack
/// to more than 1,032 times their size.
std::vector<ZipMember> read_zip_directory(const InputFile& file);

}  // namespace roundel
