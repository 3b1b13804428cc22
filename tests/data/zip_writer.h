#pragma once
#include <libdeflate.h>

#include <cstdint>
#include <string>
#include <vector>

namespace roundel {

struct TestMember {
  std::string name, bytes;
  bool deflated = false;
};

/// Returns the number's bytes, least significant first.
inline std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
  return text;
}

/// Returns a ZIP archive. In zip64, all sizes and offsets are in its own fields.
inline std::string zip_of(const std::vector<TestMember>& members, bool zip64 = false) {
  std::string file, directory;
  for (const TestMember& member : members) {
    std::string packed = member.bytes;
    if (member.deflated) {
      libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
      packed.resize(libdeflate_deflate_compress_bound(compressor, member.bytes.size()));
      packed.resize(libdeflate_deflate_compress(compressor, member.bytes.data(),
                                                member.bytes.size(), packed.data(), packed.size()));
      libdeflate_free_compressor(compressor);
    }
    const std::uint32_t checksum = libdeflate_crc32(0, member.bytes.data(), member.bytes.size());
    const std::string shared =
        little(0, 2) + little(member.deflated ? 8 : 0, 2) + little(0, 4) + little(checksum, 4);
    const auto size32 = [&](std::uint64_t size) { return little(zip64 ? 0xFFFFFFFF : size, 4); };
    const std::string sizes = size32(packed.size()) + size32(member.bytes.size());
    const std::string sizes64 =
        zip64 ? little(member.bytes.size(), 8) + little(packed.size(), 8) : "";
    const std::string extra64 = sizes64 + (zip64 ? little(file.size(), 8) : "");
    const auto field = [&](const std::string& extra) {
      return extra.empty() ? ""
                           : little(7, 2) + little(1, 2) + "_" + little(1, 2) +
                                 little(extra.size(), 2) + extra;
    };
    directory += "PK\1\2" + little(45, 2) + little(45, 2) + shared + sizes +
                 little(member.name.size(), 2) + little(field(extra64).size(), 2) + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(0, 4) + size32(file.size()) + member.name +
                 field(extra64);
    file += "PK\3\4" + little(45, 2) + shared + sizes + little(member.name.size(), 2) +
            little(field(sizes64).size(), 2) + member.name + field(sizes64) + packed;
  }
  const std::uint64_t start = file.size(), count = members.size();
  file += directory;
  if (zip64) {
    const std::uint64_t end = file.size();
    file += "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 4) + little(0, 4) +
            little(count, 8) + little(count, 8) + little(directory.size(), 8) + little(start, 8);
    file += "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
  }
  return file + "PK\5\6" + little(0, 4) + little(zip64 ? 0xFFFF : count, 2) +
         little(zip64 ? 0xFFFF : count, 2) + little(zip64 ? 0xFFFFFFFF : directory.size(), 4) +
         little(zip64 ? 0xFFFFFFFF : start, 4) + little(0, 2);
}

}  // namespace roundel
