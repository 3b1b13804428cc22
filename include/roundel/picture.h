#pragma once
/// Pictures in memory.
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace roundel {
inline namespace v0 {

/// A rectangle of pixels. x and y are its left column and upper row, counted from 0.
struct Box {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Types of samples.
enum class Samples {
  kUint8,    ///< sRGB, 0 to 255; alpha is straight
  kUint16,   ///< sRGB, 0 to 65535; alpha is straight
  kFloat32,  ///< in the scene's blend space, from 0, not clamped at 1; colours are premultiplied
             ///< by alpha
};

/// A picture: samples [height][width][channels], the uppermost row first. It does not change, and
/// copies of it share the samples.
class Picture {
 public:
  /// Copies samples of a picture with 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels and
  /// sides of 1 to 65536 pixels. Throws UsageError for others, and unless there are width · height
  /// · channels samples.
  Picture(int width, int height, int channels, std::span<const std::uint8_t> samples);
  Picture(int width, int height, int channels, std::span<const std::uint16_t> samples);
  Picture(int width, int height, int channels, std::span<const float> samples);

  /// Reads a PNG, EXR, PFM, JPEG or WebP; the content decides. Throws SceneError for a missing or
  /// damaged file, RenderError for an unreadable one.
  static Picture from_file(const std::string& path);

  int width() const;
  int height() const;
  int channels() const;  ///< 1 to 4
  Samples samples() const;

  /// The samples [height · width · channels], as long as a copy of the picture lives. Throws
  /// UsageError if they have another type.
  std::span<const std::uint8_t> uint8() const;
  std::span<const std::uint16_t> uint16() const;
  std::span<const float> float32() const;

 private:
  friend struct Access;
  struct State;
  explicit Picture(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace v0
}  // namespace roundel
