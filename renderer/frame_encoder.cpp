#include "renderer/frame_encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/error.h"
#include "renderer/description.h"
#include "renderer/raster/backend.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/scene_film.h"

namespace roundel {
namespace {

/// With an alpha of 1 if `add_alpha`.
std::vector<std::uint8_t> raw_samples(const Image& image, bool add_alpha) {
  const std::size_t size = image.pixel_bytes();
  const std::size_t bytes_of_alpha = add_alpha ? static_cast<std::size_t>(image.bits / 8) : 0;
  std::vector<std::uint8_t> raw(image.bytes.size() / size * (size + bytes_of_alpha));
  std::uint8_t* out = raw.data();
  for (const std::uint8_t* in = image.bytes.begin(); in < image.bytes.end(); in += size) {
    out = std::copy_n(in, size, out);
    out = std::fill_n(out, bytes_of_alpha, std::uint8_t{255});
  }
  return raw;
}

int bits_of(const ImageSettings& image, FrameFormat format, PixelFormat pixels) {
  if (format.video == VideoFormat::kNone || pixels == PixelFormat::kAsScene) return image.bits;
  return pixels == PixelFormat::kRgb48Le || pixels == PixelFormat::kRgba64Le ||
                 pixels == PixelFormat::kYuv420p10Le
             ? 16
             : 8;
}

}  // namespace

FrameEncoder::FrameEncoder(const Scene& scene, FrameFormat format, PixelFormat pixels)
    : image_(scene.image),
      format_(format),
      add_alpha_((pixels == PixelFormat::kRgba || pixels == PixelFormat::kRgba64Le) &&
                 !scene.image.alpha),
      fingerprint_(roundel::fingerprint(scene)),
      axes_(axes_text(scene)),
      seed_(scene.seed),
      fps_(scene.animation ? scene.animation->fps : Animation{}.fps) {
  check_image(image_);
  if (scene.film) shown_ = scene.film->scene_frame;
  if (scene.image.alpha && format.video == VideoFormat::kY4m) {
    throw Error(ExitCode::kUsage,
                "--format y4m: YUV has no alpha; expected a scene without image.alpha");
  }
  if (scene.image.alpha && (pixels == PixelFormat::kRgb24 || pixels == PixelFormat::kRgb48Le)) {
    throw Error(ExitCode::kUsage,
                fmt::format("--pixel-format {}: expected a scene without image.alpha",
                            pixels == PixelFormat::kRgb24 ? "rgb24" : "rgb48le"));
  }
  image_.bits = bits_of(scene.image, format, pixels);
  image_.low_byte_first = format.video == VideoFormat::kRawVideo;
  if (image_.bits == 16) {
    image_.dither = false;
    yuv_ = YuvFormat::k420p10;
  } else if (pixels == PixelFormat::kYuv444p) {
    yuv_ = YuvFormat::k444;
  }
}

FrameTarget FrameEncoder::file_target(FramePixels& picture, std::int64_t frame) const {
  FrameTarget out = target(picture);
  picture.png.bytes = {};
  if (out.image == nullptr || format_.video != VideoFormat::kNone) return out;
  picture.png.head = file_head(picture, frame);
  out.png = &picture.png;
  return out;
}

std::vector<std::uint8_t> FrameEncoder::file_head(const FramePixels& picture,
                                                  std::int64_t frame) const {
  return png_head(png_shape(), metadata(picture, frame));
}

std::span<const std::uint8_t> FrameEncoder::drawn_bytes(const FramePixels& picture,
                                                        std::int64_t frame) const {
  if (!picture.png.bytes.empty()) {
    const bool is_of_frame = picture.png.head == file_head(picture, frame);
    return is_of_frame ? picture.png.bytes : std::span<const std::uint8_t>();
  }
  return may_be_drawn() && format_.video != VideoFormat::kNone ? picture.image.bytes.span()
                                                               : std::span<const std::uint8_t>();
}

std::string FrameEncoder::stream_header(std::int64_t step) const {
  return format_.video == VideoFormat::kY4m
             ? y4m_header(image_.width, image_.height, frame_rate(fps_, step), yuv_)
             : "";
}

ImageMetadata FrameEncoder::metadata(const FramePixels& picture, std::int64_t frame) const {
  const bool has_own = !picture.fingerprint.empty();
  return {kSoftware, has_own ? picture.fingerprint : fingerprint_, picture.seed.value_or(seed_),
          shown_.value_or(frame), has_own ? picture.axes : axes_};
}

std::vector<std::uint8_t> FrameEncoder::encode(FramePixels& picture, std::int64_t frame,
                                               bool gives_up_pixels) const {
  if (!picture.png.bytes.empty()) {  // only the heads of equal frames differ
    std::vector<std::uint8_t> file = file_head(picture, frame);
    const auto rest = picture.png.bytes.subspan(picture.png.head.size());
    file.insert(file.end(), rest.begin(), rest.end());
    return file;
  }
  if (format_.video == VideoFormat::kY4m) return encode_y4m_frame(picture.image, yuv_);
  if (format_.video == VideoFormat::kRawVideo) return raw_samples(picture.image, add_alpha_);
  if (format_.picture == ImageFormat::kPng)
    return encode_png(picture.image, metadata(picture, frame),
                      gives_up_pixels ? &picture.image.bytes : nullptr);
  RowDiscarder discarder(picture.framebuffer);
  RowDiscarder* const discards = gives_up_pixels ? &discarder : nullptr;
  if (format_.picture == ImageFormat::kPfm) return encode_pfm(picture.framebuffer, discards);
  return encode_exr(picture.framebuffer, image_.alpha, exr_values(image_.blend_space),
                    metadata(picture, frame), discards, format_.exr);
}

std::uint64_t FrameEncoder::picture_bytes() const {
  return image_.pixels() * (wants_float() ? sizeof(Pixel) : png_shape().pixel_bytes());
}

}  // namespace roundel
