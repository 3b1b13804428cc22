#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roundel {

enum class PngColor : std::uint8_t { kGrey = 0, kRgb = 2, kIndexed = 3, kGreyAlpha = 4, kRgba = 6 };

/// The IHDR chunk.
struct PngHeader {
  std::uint32_t width = 0, height = 0;
  std::uint8_t bit_depth = 0;
  PngColor color = PngColor::kGrey;
  bool is_interlaced = false;

  bool is_grey() const { return color == PngColor::kGrey || color == PngColor::kGreyAlpha; }
  bool has_alpha() const { return color == PngColor::kGreyAlpha || color == PngColor::kRgba; }
  /// Samples a pixel: 1 (also for a palette) to 4.
  int channels() const;
};

/// Throws Error(kInvalidScene) "PATH: not a sound PNG: PROBLEM".
[[noreturn]] void fail_png(const std::string& path, std::string_view problem);

/// Walks over all chunks of a PNG file in memory. Checks their order, lengths and checksums, and
/// reads everything but the compressed pixels. Ignores damaged chunks that no pixel depends on,
/// except a damaged ICC profile.
class PngChunks {
 public:
  using Bytes = std::span<const std::uint8_t>;

  /// `file` must live as long as the object. Calls fail_png for a damaged file.
  PngChunks(std::string path, Bytes file);

  const PngHeader& header() const { return header_; }
  Bytes palette() const { return palette_; }  ///< contents of PLTE: 3 bytes a colour
  /// Contents of tRNS; empty without a valid one.
  Bytes transparency() const { return transparency_; }
  /// Contents of the IDAT chunks, one or more, which are contiguous in the file.
  const std::vector<Bytes>& pixels() const { return pixels_; }

  /// Keywords and values, in file order.
  const std::vector<std::pair<std::string, std::string>>& text() const { return text_; }
  /// Meaning of the samples: "gamma 1", "an ICC profile (1a2b3c4d)", or "" for sRGB or unspecified.
  /// The first chunk in the order of the PNG specification's third edition decides: cICP, iCCP,
  /// sRGB, then gAMA and cHRM together.
  std::string color_space() const;
  /// Exif's, 1 to 8.
  int orientation() const { return orientation_; }
  /// True for an animation (APNG).
  bool is_animated() const { return is_animated_; }

 private:
  [[noreturn]] void fail(std::string_view problem) const { fail_png(path_, problem); }
  void read_chunk(std::uint32_t type, Bytes content);
  void read_header(Bytes content);
  void read_palette(Bytes content);
  void read_transparency(Bytes content);
  void read_profile(Bytes content);
  void read_text(std::uint32_t type, Bytes content);
  std::string unpacked(std::string_view packed, std::size_t limit) const;

  std::string path_;
  PngHeader header_;
  std::uint32_t previous_type_ = 0;  ///< type of the previous chunk; 0 at the first
  Bytes palette_, transparency_;
  bool forbids_palette_ = false;  ///< a chunk that must follow a palette was read
  std::vector<Bytes> pixels_;
  std::vector<std::pair<std::string, std::string>> text_;
  std::size_t text_chunks_ = 0, text_bytes_ = 0;
  Bytes code_points_;  ///< contents of cICP
  bool has_profile_ = false;
  std::string profile_;  ///< profile_text() of iCCP; empty if there is none
  bool is_srgb_ = false;
  std::uint32_t gamma_ = 0;                         ///< gAMA; 0 if there is none
  std::optional<std::array<double, 8>> primaries_;  ///< cHRM
  int orientation_ = 1;
  bool is_animated_ = false;
};

}  // namespace roundel
