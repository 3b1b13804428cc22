#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

namespace roundel {

/// A colour as written in the scene (display values, sRGB-encoded), >= 0; values beyond 1 are kept
/// until the 8-bit output clamps them.
struct DisplayColor {
  float red = 0, green = 0, blue = 0;
  bool operator==(const DisplayColor&) const = default;
};

/// A colour as it is blended: display values or linear light, as the blend space says.
struct BlendColor {
  float red = 0, green = 0, blue = 0;
  bool operator==(const BlendColor&) const = default;
};

/// A plain background has bottom == top. Pixel row j of H, counted from the bottom, has
/// top + ((bottom − top)·(H − j))/H.
struct Background {
  DisplayColor bottom{1, 1, 1}, top{1, 1, 1};
  bool operator==(const Background&) const = default;
};

enum class BlendSpace {
  kDisplay,  ///< values are blended as they stand, as in CSS
  kLinear,   ///< sRGB colours become linear light first; encoded again at the end
};

/// How a circle changes what lies below it (see composite() in raster/pixel_math.h).
enum class BlendMode { kOver, kAdd, kMultiply, kScreen };

/// What there is among a frame's circles besides discs that are painted over each other: drawing
/// looks at none of it where there is none.
struct CircleLooks {
  bool rings = false;
  bool adds = false;     ///< BlendMode::kAdd
  bool filters = false;  ///< kMultiply or kScreen: each channel has a transmittance of its own

  constexpr bool any() const { return rings || adds || filters; }
  bool operator==(const CircleLooks&) const = default;
};

/// Pixels of a picture.
constexpr std::size_t pixel_count(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

/// Of which image a part is drawn, and from where.
struct CropOrigin {
  int whole_width, whole_height;  ///< pixels
  int first_column, first_row;    ///< of the part; rows are counted from the bottom
  bool operator==(const CropOrigin&) const = default;
};

struct ImageSettings {
  int width = 1024, height = 1024;  ///< pixels that are drawn, 1..kMaxImageSide each
  std::optional<CropOrigin> crop;   ///< where they are a part of an image
  double px = 1;                    ///< pixels that a length of 1px is worth
  Background background;            ///< unused when `alpha` is set
  bool alpha = false;  ///< no background; PNG gets straight RGBA, EXR premultiplied RGBA
  BlendSpace blend_space = BlendSpace::kDisplay;
  int bits = 8;                 ///< of a PNG's samples, 8 or 16
  bool low_byte_first = false;  ///< samples of 16 bits are not PNG's, but raw video's
  bool dither = false;          ///< 8 bits by an ordered dither
  bool antialias = false;       ///< coverage by area
  CircleLooks looks;            ///< of the circles that are drawn

  /// The whole image, which makes frame space.
  int frame_width() const { return crop ? crop->whole_width : width; }
  int frame_height() const { return crop ? crop->whole_height : height; }
  /// The first ones that are drawn.
  int first_column() const { return crop ? crop->first_column : 0; }
  int first_row() const { return crop ? crop->first_row : 0; }

  std::uint64_t pixels() const { return pixel_count(width, height); }
  int channels() const { return alpha ? 4 : 3; }  ///< of an Image
};

inline constexpr int kMaxImageSide = 65536;
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 32;

}  // namespace roundel
