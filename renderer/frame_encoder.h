#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// What files say they were made by.
extern const char* const kSoftware;

/// Streams of frames that are no picture files.
enum class VideoFormat {
  kNone,
  kRawVideo,  ///< the bytes of the pixels alone, rows top to bottom: RGB24 or RGBA
  kY4m,       ///< YUV4MPEG2: 4:2:0, BT.709, limited range
};

struct FrameFormat {
  ImageFormat picture = ImageFormat::kPng;  ///< kPng for video: drawn with 8 bits
  VideoFormat video = VideoFormat::kNone;
};

enum class PixelFormat {
  kAsScene,  ///< RGBA where the scene has alpha, else RGB24
  kRgb24,
  kRgba,
};

/// A frame as the rasterizer leaves it: one of the two is used.
struct FramePixels {
  Image image;
  Framebuffer framebuffer;
  std::string fingerprint;  ///< empty: that of the encoder's scene
};

/// Turns the pictures of one scene into bytes. May be used by several threads at once.
class FrameEncoder {
 public:
  /// `pixels` is for kRawVideo. Throws Error(kUsage) for y4m or RGB24 of a scene with alpha.
  FrameEncoder(const Scene& scene, FrameFormat format, PixelFormat pixels = PixelFormat::kAsScene);

  /// Which of a picture's two it takes, for drawing to.
  FrameTarget target(FramePixels& picture) const {
    return wants_float() ? FrameTarget(picture.framebuffer) : FrameTarget(picture.image);
  }
  /// True where that is the framebuffer.
  bool wants_float() const { return format_.picture != ImageFormat::kPng; }
  /// True where an image's bytes are the frame's: nothing is to be encoded.
  bool takes_as_drawn() const;
  /// What stands once before the first frame: empty but for y4m.
  std::string stream_header() const;
  /// What a frame's file says of its origin.
  ImageMetadata metadata(const FramePixels& picture, std::int64_t frame) const;
  /// The bytes of a frame's file, or of its part of the stream. Not to be called where
  /// takes_as_drawn(). Takes less memory where it may give up the pixels on the way. Throws
  /// Error(kRuntimeFailure) where a library cannot encode it.
  std::vector<std::uint8_t> encode(FramePixels& picture, std::int64_t frame,
                                   bool gives_up_pixels) const;
  /// Bytes of a picture in memory, before encoding.
  std::uint64_t picture_bytes() const;

 private:
  ImageSettings image_;
  FrameFormat format_;
  bool add_alpha_;  ///< RGB pictures, RGBA stream
  std::string fingerprint_;
  std::uint32_t seed_;
  double fps_;
};

}  // namespace roundel
