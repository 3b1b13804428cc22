#include "renderer/sequence/frame_encoder.h"

#include "renderer/base/error.h"
#include "renderer/image/y4m.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {
namespace {

std::vector<std::uint8_t> with_opaque_alpha(const Image& image) {
  std::vector<std::uint8_t> rgba(image.bytes.size() / 3 * 4);
  const std::uint8_t* in = image.bytes.data();
  for (std::size_t i = 0; i < rgba.size(); i += 4, in += 3) {
    rgba[i] = in[0];
    rgba[i + 1] = in[1];
    rgba[i + 2] = in[2];
    rgba[i + 3] = 255;
  }
  return rgba;
}

}  // namespace

FrameFormat frame_format(ImageFormat format) {
  if (format == ImageFormat::kExr) return FrameFormat::kExr;
  return format == ImageFormat::kPfm ? FrameFormat::kPfm : FrameFormat::kPng;
}

ImageFormat image_format(FrameFormat format) {
  if (format == FrameFormat::kExr) return ImageFormat::kExr;
  return format == FrameFormat::kPfm ? ImageFormat::kPfm : ImageFormat::kPng;
}

FrameEncoder::FrameEncoder(const Scene& scene, FrameFormat format, PixelFormat pixels)
    : image_(scene.image),
      format_(format),
      add_alpha_(pixels == PixelFormat::kRgba && !scene.image.alpha),
      fingerprint_(roundel::fingerprint(scene)),
      seed_(scene.seed),
      fps_(scene.animation ? scene.animation->fps : Animation{}.fps) {
  if (scene.image.alpha && format == FrameFormat::kY4m) {
    throw Error(ExitCode::kUsage,
                "--format y4m: expected a scene without alpha, which YUV has not");
  }
  if (scene.image.alpha && pixels == PixelFormat::kRgb24) {
    throw Error(ExitCode::kUsage, "--pixel-format rgb24: expected a scene without alpha");
  }
}

bool FrameEncoder::wants_float() const {
  return format_ == FrameFormat::kExr || format_ == FrameFormat::kPfm;
}

bool FrameEncoder::takes_as_drawn() const {
  return format_ == FrameFormat::kRawVideo && !add_alpha_;
}

std::string FrameEncoder::stream_header() const {
  return format_ == FrameFormat::kY4m ? y4m_header(image_.width, image_.height, fps_) : "";
}

std::vector<std::uint8_t> FrameEncoder::encode(const FramePixels& picture,
                                               std::int64_t frame) const {
  const ImageMetadata metadata{"roundel " ROUNDEL_VERSION, fingerprint_, seed_, frame};
  switch (format_) {
    case FrameFormat::kPng:
      return encode_png(picture.image, metadata);
    case FrameFormat::kExr:
      return encode_exr(picture.framebuffer, image_.alpha, metadata);
    case FrameFormat::kPfm:
      return encode_pfm(picture.framebuffer);
    case FrameFormat::kY4m:
      return encode_y4m_frame(picture.image);
    case FrameFormat::kRawVideo:
      break;
  }
  return with_opaque_alpha(picture.image);
}

std::uint64_t FrameEncoder::picture_bytes() const {
  const std::uint64_t channels = image_.alpha ? 4 : 3;
  return static_cast<std::uint64_t>(image_.width) * static_cast<std::uint64_t>(image_.height) *
         (wants_float() ? sizeof(Pixel) : channels);
}

}  // namespace roundel
