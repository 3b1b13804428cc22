#include <tbb/parallel_for.h>

#include <array>
#include <cstring>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/pixels/quantize_levels.h"
#include "renderer/pixels/srgb.h"
#include "renderer/raster/rasterizer.h"

// Motion blur: the mean of a frame's samples, for both backends, in linear light and binary32.

namespace roundel {
namespace {

/// srgb_to_linear() by a table with straight lines between its entries, within 1e-7.
class LinearLight {
 public:
  LinearLight() {
    for (std::size_t i = 0; i <= kLast; ++i)
      table_[i] = srgb_to_linear(static_cast<float>(i) / kLast);
  }
  float operator()(float c) const {
    if (!(c > 0.0f)) return 0.0f;
    if (c >= 1.0f) return srgb_to_linear(c);
    const float position = c * kLast;
    const auto index = static_cast<std::size_t>(position);
    return table_[index] +
           (table_[index + 1] - table_[index]) * (position - static_cast<float>(index));
  }

 private:
  static constexpr std::size_t kLast = 4096;
  std::array<float, kLast + 1> table_;
};

/// Sums of a frame's samples. A pixel that is the same in all of them stays as it is.
class FrameMean {
 public:
  /// `sum` holds the first sample.
  FrameMean(const ImageSettings& image, Framebuffer& sum)
      : sum_(sum),
        styles_(image.styles),
        has_alpha_(image.alpha),
        is_display_(image.blend_space == BlendSpace::kDisplay),
        changes_(sum.pixels.size()) {
    std::memset(changes_.data(), 0, changes_.size());
  }

  void add(const Framebuffer& sample) {
    for_each_row([&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        if (changes_[i] == 0) {
          if (std::memcmp(&sum_.pixels[i], &sample.pixels[i], sizeof(Pixel)) == 0) continue;
          changes_[i] = 1;
          const Pixel light = to_light(sum_.pixels[i]);
          sum_.pixels[i] = light;
          for (std::size_t k = 1; k < count_; ++k) add_to(sum_.pixels[i], light);
        }
        add_to(sum_.pixels[i], to_light(sample.pixels[i]));
      }
    });
    ++count_;
  }

  /// Turns the sums into the mean.
  void divide() {
    const auto count = static_cast<float>(count_);
    for_each_row([&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        if (changes_[i] == 0) continue;
        Pixel& pixel = sum_.pixels[i];
        pixel = from_light(
            {pixel.red / count, pixel.green / count, pixel.blue / count, pixel.alpha / count});
      }
    });
  }

 private:
  template <typename Work>
  void for_each_row(const Work& work) const {
    const auto width = static_cast<std::size_t>(sum_.width);
    tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(sum_.height),
                      [&](std::size_t row) { work(row * width, (row + 1) * width); });
  }

  static void add_to(Pixel& sum, const Pixel& pixel) {
    sum.red += pixel.red;
    sum.green += pixel.green;
    sum.blue += pixel.blue;
    sum.alpha += pixel.alpha;
  }

  /// Applies a transfer curve to straight colours.
  template <typename Curve>
  Pixel with_curve(const Pixel& pixel, const Curve& curve) const {
    if (!has_alpha_) return {curve(pixel.red), curve(pixel.green), curve(pixel.blue), pixel.alpha};
    const float alpha = png_alpha(pixel, styles_);
    if (!(alpha > 0)) return {0, 0, 0, pixel.alpha};
    return {alpha * curve(pixel.red / alpha), alpha * curve(pixel.green / alpha),
            alpha * curve(pixel.blue / alpha), pixel.alpha};
  }
  Pixel to_light(const Pixel& pixel) const {
    static const LinearLight kLinearLight;
    return is_display_ ? with_curve(pixel, kLinearLight) : pixel;
  }
  Pixel from_light(const Pixel& pixel) const {
    return is_display_ ? with_curve(pixel, linear_to_srgb) : pixel;
  }

  Framebuffer& sum_;
  const CircleStyles styles_;
  const bool has_alpha_, is_display_;
  std::size_t count_ = 1;
  Buffer<std::uint8_t> changes_;  ///< 1: the pixel is a sum of light
};

/// The output of float pixels in an Image.
void quantize_pixels(const Framebuffer& pixels, const ImageSettings& settings, Image& image) {
  const SampleFormat format(settings);
  const auto width = static_cast<std::size_t>(settings.width);
  tbb::parallel_for(
      std::size_t{0}, static_cast<std::size_t>(settings.height), [&](std::size_t row) {
        const Pixel* in =
            pixels.pixels.data() + (static_cast<std::size_t>(settings.height) - 1 - row) * width;
        std::uint8_t* out = image.bytes.data() + row * width * image.pixel_bytes();
        for (std::size_t i = 0; i < width; ++i, ++in, out += image.pixel_bytes())
          store_samples(*in, format, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(row),
                        out);
      });
}

}  // namespace

std::uint64_t mean_memory(std::uint64_t pixels, bool is_float) {
  return block_memory(pixels * sizeof(Pixel)) * (is_float ? 1 : 2) + block_memory(pixels);
}

void Rasterizer::draw(const CircleStream& circles, const ImageSettings& image,
                      const FrameTarget& out, StageStats& stats) {
  const FrameSamples* const samples = circles.samples();
  if (samples == nullptr) return draw_circles(circles, image, out, stats);
  const auto draw_sample = [&](std::size_t k, const FrameTarget& target) {
    checkpoint();
    samples->with_circles(k, [&](const CircleStream& sample, const Background& background) {
      ImageSettings settings = image;
      settings.background = background;
      draw_circles(circles.progress() != nullptr ? sample.counted(*circles.progress()) : sample,
                   settings, target, stats);
    });
  };
  if (samples->count == 1) return draw_sample(0, out);
  if (out.device != nullptr)
    throw Error(ExitCode::kUsage,
                "frames with motion blur (animation.samples) are drawn in main memory, not on a "
                "device");
  Framebuffer own, sample;
  Framebuffer& sum = out.framebuffer != nullptr ? *out.framebuffer : own;
  const std::uint64_t held = circles.bytes() + out.resize(image) +
                             mean_memory(image.pixels(), out.framebuffer != nullptr) -
                             block_memory(image.pixels() * sizeof(Pixel));
  const auto target = [held](Framebuffer& framebuffer) {
    FrameTarget with(framebuffer);
    with.held_bytes = held;
    return with;
  };
  draw_sample(0, target(sum));
  FrameMean mean(image, sum);
  for (std::size_t k = 1; k < samples->count; ++k) {
    draw_sample(k, target(sample));
    const StageTimer timer(stats, "mean");
    mean.add(sample);
  }
  const StageTimer timer(stats, "mean");
  mean.divide();
  if (out.image != nullptr) quantize_pixels(sum, image, *out.image);
}

}  // namespace roundel
