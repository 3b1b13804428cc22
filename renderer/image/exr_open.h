#pragma once
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfMultiPartInputFile.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/image/exr_reader.h"

/// Code that the readers of the module roundel_exr share.
namespace roundel::openexr {

class MemoryInput : public Imf::IStream {
 public:
  explicit MemoryInput(std::span<const std::byte> file) : Imf::IStream("memory"), file_(file) {}
  bool isMemoryMapped() const override { return true; }
  char* readMemoryMapped(int size) override;
  bool read(char* out, int size) override;
  std::uint64_t tellg() override { return position_; }
  void seekg(std::uint64_t position) override { position_ = position; }

 private:
  const std::byte* take(int size);

  std::span<const std::byte> file_;
  std::uint64_t position_ = 0;
};

/// Checked headers. Throws UnsupportedExr for kinds that Roundel does not read.
struct OpenExr {
  explicit OpenExr(std::span<const std::byte> file);

  MemoryInput stream;
  Imf::MultiPartInputFile parts;
  std::size_t file_size;
};

/// The part's name; empty if it is the only one.
std::string part_name(const OpenExr& exr, int part);
bool has_levels(const Imf::Header& header);

/// A part's data window.
struct ExrWindow {
  int left = 0, top = 0, width = 0, height = 0;
};
/// Throws std::runtime_error for sizes out of range.
ExrWindow data_window(const Imf::Header& header);

/// Throws for `bytes` of pixels that the file is too small for, and that do not fit in memory.
void check_memory(const std::string& path, const OpenExr& exr, std::uint64_t bytes);

/// Address of pixel (0, 0) of a buffer that begins with another, possibly outside the buffer.
char* address_before(const void* address, std::int64_t bytes);

/// Returns all parts and levels, sorted by part; without samples for kHeader.
std::vector<ExrLevel> read_levels(const std::string& path, OpenExr& exr, DecodedPart part);

}  // namespace roundel::openexr
