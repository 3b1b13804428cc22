#include "renderer/raster/frame_mean.h"

#include <tbb/parallel_for.h>

#include <bit>
#include <cstring>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/pixels/quantize_levels.h"
#include "renderer/pixels/srgb.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {
namespace {

using Lanes = float __attribute__((vector_size(16)));  ///< the channels of a Pixel

Lanes lanes_of(const Pixel& pixel) {
  return std::bit_cast<Lanes>(pixel);
}

/// light_of_display() of all channels.
Lanes to_linear_light(Lanes c) {
  Lanes light = c <= 0.04045f ? c * (1 / 12.92f) : power_of_display(c);
  light = c > 0.0f ? light : Lanes{};
  for (int i = 0; i < 3; ++i)
    if (c[i] > 1.0f) light[i] = srgb_to_linear(c[i]);
  return light;
}

/// Sums of a frame's samples.
class FrameMean {
 public:
  /// `sum` holds the first sample.
  FrameMean(const ImageSettings& image, Framebuffer& sum)
      : sum_(sum), format_(image), changes_(sum.pixels.size()) {
    std::memset(changes_.data(), 0, changes_.size());
  }

  void add(const Framebuffer& sample) {
    for_each_row([&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        if (changes_[i] == 0) {
          if (std::memcmp(&sum_.pixels[i], &sample.pixels[i], sizeof(Pixel)) == 0) continue;
          changes_[i] = 1;
          const Lanes light = to_light(sum_.pixels[i]);
          Lanes sum = light;
          for (std::size_t k = 1; k < count_; ++k) sum += light;
          sum_.pixels[i] = std::bit_cast<Pixel>(sum);
        }
        sum_.pixels[i] =
            std::bit_cast<Pixel>(lanes_of(sum_.pixels[i]) + to_light(sample.pixels[i]));
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
        pixel = std::bit_cast<Pixel>(from_light(lanes_of(pixel) / count));
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

  /// Applies a transfer curve to straight colours.
  template <typename Curve>
  Lanes with_curve(const Pixel& pixel, const Curve& curve) const {
    Lanes light;
    if (!format_.has_alpha) {
      light = curve(lanes_of(pixel));
    } else if (const float alpha = png_alpha(pixel, format_.styles); alpha > 0) {
      light = alpha * curve(lanes_of(pixel) / alpha);
    } else {
      light = Lanes{};
    }
    light[3] = pixel.alpha;
    return light;
  }
  Lanes to_light(const Pixel& pixel) const {
    return format_.is_display ? with_curve(pixel, to_linear_light) : lanes_of(pixel);
  }
  Lanes from_light(const Lanes& light) const {
    if (!format_.is_display) return light;
    static const auto kTable = DisplayCurve::make_table();
    const DisplayCurve curve(kTable.data());
    return with_curve(std::bit_cast<Pixel>(light), [curve](Lanes c) {
      return Lanes{curve(c[0]), curve(c[1]), curve(c[2]), 0};
    });
  }

  Framebuffer& sum_;
  const MeanFormat format_;
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
  const bool is_measured =
      out.framebuffer == nullptr && out.image == nullptr && out.device == nullptr;
  if (samples->count == 1 || is_measured) return draw_sample(0, out);
  if (draws_means()) {
    for (std::size_t k = 0; k < samples->count; ++k) {
      FrameTarget target = out;
      target.sample = k;
      target.samples = samples->count;
      draw_sample(k, target);
    }
    return;
  }
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
