#include "renderer/frame_encoder.h"

#include <utility>

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

const char* const kSoftware = "roundel " ROUNDEL_VERSION;

FrameEncoder::FrameEncoder(const Scene& scene, FrameFormat format, PixelFormat pixels)
    : image_(scene.image),
      format_(format),
      add_alpha_(pixels == PixelFormat::kRgba && !scene.image.alpha),
      fingerprint_(roundel::fingerprint(scene)),
      seed_(scene.seed),
      fps_(scene.animation ? scene.animation->fps : Animation{}.fps) {
  if (scene.image.alpha && format.video == VideoFormat::kY4m) {
    throw Error(ExitCode::kUsage,
                "--format y4m: expected a scene without alpha, which YUV has not");
  }
  if (scene.image.alpha && pixels == PixelFormat::kRgb24) {
    throw Error(ExitCode::kUsage, "--pixel-format rgb24: expected a scene without alpha");
  }
}

bool FrameEncoder::takes_as_drawn() const {
  return format_.video == VideoFormat::kRawVideo && !add_alpha_;
}

std::string FrameEncoder::stream_header() const {
  return format_.video == VideoFormat::kY4m ? y4m_header(image_.width, image_.height, fps_) : "";
}

ImageMetadata FrameEncoder::metadata(const FramePixels& picture, std::int64_t frame) const {
  return {kSoftware, picture.fingerprint.empty() ? fingerprint_ : picture.fingerprint, seed_,
          frame};
}

std::vector<std::uint8_t> FrameEncoder::encode(FramePixels& picture, std::int64_t frame,
                                               bool gives_up_pixels) const {
  if (format_.video == VideoFormat::kY4m) return encode_y4m_frame(picture.image);
  if (format_.video == VideoFormat::kRawVideo) return with_opaque_alpha(picture.image);
  if (format_.picture == ImageFormat::kPng)
    return encode_png(picture.image, metadata(picture, frame),
                      gives_up_pixels ? &picture.image.bytes : nullptr);
  RowDiscarder discarder(picture.framebuffer);
  RowDiscarder* const discards = gives_up_pixels ? &discarder : nullptr;
  if (format_.picture == ImageFormat::kPfm) return encode_pfm(picture.framebuffer, discards);
  return encode_exr(picture.framebuffer, image_.alpha, metadata(picture, frame), discards);
}

std::uint64_t FrameEncoder::picture_bytes() const {
  const auto channels = static_cast<std::uint64_t>(image_.channels());
  return image_.pixels() * (wants_float() ? sizeof(Pixel) : channels);
}

}  // namespace roundel
