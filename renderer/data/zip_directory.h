#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/input_file.h"

namespace roundel {

struct ZipMember {
  std::string name;
  bool is_deflated = false;        ///< else stored
  std::uint64_t offset = 0;        ///< of its bytes in the file
  std::uint64_t packed_bytes = 0;  ///< all of them in the file
  std::uint64_t bytes = 0;         ///< unpacked
  std::uint32_t checksum = 0;      ///< CRC-32, unpacked
};

/// Throws Error(kInvalidScene) "PATH: NAME: …" where a member's bytes have another checksum than
/// the directory says.
void check_checksum(const InputFile& file, const ZipMember& member, std::uint32_t found);

/// The members of a ZIP archive, zip64 too, in the order of its directory. Throws
/// Error(kInvalidScene) "PATH: …" for an archive that is broken, encrypted, packed otherwise, or
/// that claims what cannot be: members that overlap, or that unpack to more than 1,032 times.
std::vector<ZipMember> read_zip_directory(const InputFile& file);

}  // namespace roundel
