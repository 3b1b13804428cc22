#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

namespace roundel {

/// A colour as in the scene (display values, sRGB-encoded), >= 0; only integer output clamps values
/// above 1.
struct DisplayColor {
  float red = 0, green = 0, blue = 0;
  bool operator==(const DisplayColor&) const = default;
};

/// A colour in the blend space: display values or linear light.
struct BlendColor {
  float red = 0, green = 0, blue = 0;
  bool operator==(const BlendColor&) const = default;
};

/// Plain backgrounds have bottom == top. Row j of H, counted from the bottom, has top + ((bottom −
/// top)·(H − j))/H.
struct Background {
  DisplayColor bottom{1, 1, 1}, top{1, 1, 1};
  bool operator==(const Background&) const = default;
};

enum class BlendSpace {
  kDisplay,  ///< values are blended unchanged, as in CSS
  kLinear,   ///< blended as linear light, encoded at the end
};

/// How a circle changes those below it (see composite() in raster/pixel_math.h).
enum class BlendMode { kOver, kAdd, kMultiply, kScreen };

/// Kinds of circles in a frame besides solid discs in mode kOver. Drawing skips unused kinds.
struct CircleStyles {
  bool rings = false;
  bool adds = false;     ///< BlendMode::kAdd
  bool filters = false;  ///< kMultiply or kScreen: each channel has its own transmittance

  constexpr bool any() const { return rings || adds || filters; }
  bool operator==(const CircleStyles&) const = default;
};

constexpr std::size_t pixel_count(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

struct CropOrigin {
  int whole_width, whole_height;
  int first_column, first_row;  ///< first pixel of the part; rows count from the bottom
  bool operator==(const CropOrigin&) const = default;
};

struct ImageSettings {
  int width = 1024, height = 1024;  ///< drawn pixels, 1..kMaxImageSide each
  std::optional<CropOrigin> crop;   ///< set for a part of an image
  double px = 1;                    ///< pixels of a length of 1px
  Background background;
  bool alpha = false;  ///< no background; PNG gets straight RGBA, EXR premultiplied
  BlendSpace blend_space = BlendSpace::kDisplay;
  int bits = 8;                 ///< bits of a PNG's samples, 8 or 16
  bool low_byte_first = false;  ///< byte order of 16-bit samples: true for raw video, false for PNG
  bool dither = false;          ///< ordered dither, 8 bits only
  bool antialias = false;       ///< coverage by area
  CircleStyles styles;

  /// Size of the whole image, which defines frame space.
  int frame_width() const { return crop ? crop->whole_width : width; }
  int frame_height() const { return crop ? crop->whole_height : height; }
  int first_column() const { return crop ? crop->first_column : 0; }
  int first_row() const { return crop ? crop->first_row : 0; }

  std::uint64_t pixels() const { return pixel_count(width, height); }
  int channels() const { return alpha ? 4 : 3; }
};

inline constexpr int kMaxImageSide = 65536;
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 32;

}  // namespace roundel
