#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/image/png_file.h"
#include "renderer/image/png_stream.h"
#include "renderer/image/y4m.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Throws Error(kUsage) for sizes and bits that pictures cannot have.
void check_image(const ImageSettings& image);

/// What files say they were made by.
extern const char* const kSoftware;

/// Streams of frames that are no picture files.
enum class VideoFormat {
  kNone,
  kRawVideo,  ///< the samples of the pixels alone, rows top to bottom
  kY4m,       ///< YUV4MPEG2: BT.709, limited range
};

struct FrameFormat {
  ImageFormat picture = ImageFormat::kPng;  ///< kPng for video: drawn to an Image
  VideoFormat video = VideoFormat::kNone;
};

/// By ffmpeg's names.
enum class PixelFormat {
  /// Of raw video RGBA where the scene has alpha, else RGB, of the scene's bits; of y4m 4:2:0, with
  /// 10 bits where the scene has 16.
  kAsScene,
  kRgb24,
  kRgba,
  kRgb48Le,  ///< words, the low byte first
  kRgba64Le,
  kYuv420p,
  kYuv444p,
  kYuv420p10Le,
};
/// True for the pixel formats of y4m.
constexpr bool is_yuv(PixelFormat pixels) {
  return pixels >= PixelFormat::kYuv420p;
}

/// A frame as the rasterizer leaves it: one of the two is used.
struct FramePixels {
  Image image;
  Framebuffer framebuffer;
  PngFile png;                        ///< instead of the image, where it has bytes
  std::string fingerprint;            ///< empty: that of the encoder's scene
  std::optional<std::uint32_t> seed;  ///< the same
  std::string axes;                   ///< of the scene that the fingerprint is of
};

/// Turns the pictures of one scene into bytes. May be used by several threads at once.
class FrameEncoder {
 public:
  /// `pixels` is for video, and fits it. Throws Error(kUsage) for one without alpha of a scene with
  /// alpha.
  FrameEncoder(const Scene& scene, FrameFormat format, PixelFormat pixels = PixelFormat::kAsScene);

  /// Which of a picture's two it takes, for drawing to.
  FrameTarget target(FramePixels& picture) const {
    return wants_float() ? FrameTarget(picture.framebuffer) : FrameTarget(picture.image);
  }
  /// The same for drawing to the frame's file, where the rasterizer can make it.
  FrameTarget file_target(FramePixels& picture, std::int64_t frame) const;
  /// True where that is the framebuffer.
  bool wants_float() const { return format_.picture != ImageFormat::kPng; }
  /// What to draw a frame of these settings with: samples are those of the file or stream.
  ImageSettings drawn(ImageSettings image) const {
    image.bits = image_.bits;
    image.low_byte_first = image_.low_byte_first;
    image.dither = image_.dither;
    return image;
  }
  /// True where a rasterizer may make what is written, so that nothing is to be encoded.
  bool may_be_drawn() const {
    const bool is_raw = format_.video == VideoFormat::kRawVideo && !add_alpha_;
    return !wants_float() && (format_.video == VideoFormat::kNone || is_raw);
  }
  /// The frame's bytes where nothing is to be encoded: those of the file or the image as drawn.
  /// Empty where there is, as for other frames that share the picture of a file.
  std::span<const std::uint8_t> drawn_bytes(const FramePixels& picture, std::int64_t frame) const;
  /// What stands once before the first frame: empty but for y4m. `step`: from one frame of the
  /// stream to the next.
  std::string stream_header(std::int64_t step) const;
  /// What a frame's file says of its origin.
  ImageMetadata metadata(const FramePixels& picture, std::int64_t frame) const;
  /// The bytes of a frame's file, or of its part of the stream. Not to be called where
  /// there are drawn_bytes(). Takes less memory where it may give up the pixels on the way. Throws
  /// Error(kRuntimeFailure) where a library cannot encode it.
  std::vector<std::uint8_t> encode(FramePixels& picture, std::int64_t frame,
                                   bool gives_up_pixels) const;
  /// Of a PNG.
  PngShape png_shape() const {
    return {image_.width, image_.height, image_.channels(), image_.bits};
  }
  /// Bytes of a picture in memory, before encoding.
  std::uint64_t picture_bytes() const;

 private:
  std::vector<std::uint8_t> file_head(const FramePixels& picture, std::int64_t frame) const;

  ImageSettings image_;  ///< with the bits of the file or stream
  FrameFormat format_;
  YuvFormat yuv_ = YuvFormat::k420;
  bool add_alpha_;  ///< RGB pictures, RGBA stream
  std::string fingerprint_, axes_;
  std::uint32_t seed_;
  double fps_;
  std::optional<std::int64_t> shown_;  ///< instead of a frame's number
};

}  // namespace roundel
