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

/// Formats for streams of frames.
enum class VideoFormat {
  kNone,
  kRawVideo,  ///< samples of the pixels without a header, rows top to bottom
  kY4m,       ///< YUV4MPEG2: BT.709, limited range
};

struct FrameFormat {
  ImageFormat picture = ImageFormat::kPng;  ///< kPng for video, which is drawn to an Image
  VideoFormat video = VideoFormat::kNone;
  ExrStorage exr = {};
};

/// Names of ffmpeg.
enum class PixelFormat {
  /// Raw video: RGBA if the scene has alpha, else RGB, with the scene's bits. y4m: 4:2:0, with 10
  /// bits if the scene has 16.
  kAsScene,
  kRgb24,
  kRgba,
  kRgb48Le,  ///< words, low byte first
  kRgba64Le,
  kYuv420p,
  kYuv444p,
  kYuv420p10Le,
};
/// True for the pixel formats of y4m.
constexpr bool is_yuv(PixelFormat pixels) {
  return pixels >= PixelFormat::kYuv420p;
}

/// A drawn frame: either `image` or `framebuffer` is used.
struct FramePixels {
  Image image;
  Framebuffer framebuffer;
  PngFile png;                        ///< replaces the image if it has bytes
  std::string fingerprint;            ///< empty: the fingerprint of the encoder's scene
  std::optional<std::uint32_t> seed;  ///< empty: the seed of the encoder's scene
  std::string axes;                   ///< axes_text() of the scene with this fingerprint
};

/// Encodes the pictures of one scene. Thread-safe.
class FrameEncoder {
 public:
  /// `pixels` is for video and must fit it. Throws Error(kUsage) if the scene has alpha and
  /// `pixels` has none.
  FrameEncoder(const Scene& scene, FrameFormat format, PixelFormat pixels = PixelFormat::kAsScene);

  FrameTarget target(FramePixels& picture) const {
    return wants_float() ? FrameTarget(picture.framebuffer) : FrameTarget(picture.image);
  }
  /// Like target(), but a rasterizer that can make the frame's file draws that.
  FrameTarget file_target(FramePixels& picture, std::int64_t frame) const;
  bool wants_float() const { return format_.picture != ImageFormat::kPng; }
  /// Returns the settings to draw with: the file's or stream's samples.
  ImageSettings drawn(ImageSettings image) const {
    image.bits = image_.bits;
    image.low_byte_first = image_.low_byte_first;
    image.dither = image_.dither;
    return image;
  }
  /// True if a rasterizer can make the written bytes itself, without encode().
  bool may_be_drawn() const {
    const bool is_raw = format_.video == VideoFormat::kRawVideo && !add_alpha_;
    return !wants_float() && (format_.video == VideoFormat::kNone || is_raw);
  }
  /// Returns the bytes of the file or image as drawn, or nothing if the frame needs encode().
  /// Frames that share another frame's file need it, since their heads differ.
  std::span<const std::uint8_t> drawn_bytes(const FramePixels& picture, std::int64_t frame) const;
  /// Returns the bytes before the first frame; empty except for y4m. `step`: frames from one frame
  /// of the stream to the next.
  std::string stream_header(std::int64_t step) const;
  ImageMetadata metadata(const FramePixels& picture, std::int64_t frame) const;
  /// Returns the bytes of a frame's file, or of its part of the stream. Only for frames without
  /// drawn_bytes(). Takes less memory if it may give up the pixels on the way. Throws
  /// Error(kRuntimeFailure) if a library cannot encode the frame.
  std::vector<std::uint8_t> encode(FramePixels& picture, std::int64_t frame,
                                   bool gives_up_pixels) const;
  PngShape png_shape() const {
    return {image_.width, image_.height, image_.channels(), image_.bits};
  }
  /// Bytes of a picture in memory, before encoding.
  std::uint64_t picture_bytes() const;

 private:
  std::vector<std::uint8_t> file_head(const FramePixels& picture, std::int64_t frame) const;

  ImageSettings image_;
  FrameFormat format_;
  YuvFormat yuv_ = YuvFormat::k420;
  bool add_alpha_;  ///< true: pictures are RGB, the stream is RGBA
  std::string fingerprint_, axes_;
  std::uint32_t seed_;
  double fps_;
  std::optional<std::int64_t> shown_;  ///< replaces the frame's number in metadata
};

}  // namespace roundel
