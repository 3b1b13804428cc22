#include <cstddef>

#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/mean_samples.h"

namespace roundel::cuda {
namespace {

constexpr int kThreads = 256;

/// Applies a transfer curve to straight colours.
template <typename Curve>
__device__ Pixel with_curve(const Pixel& pixel, const MeanFormat& format, const Curve& curve) {
  if (!format.has_alpha)
    return {curve(pixel.red), curve(pixel.green), curve(pixel.blue), pixel.alpha};
  const float alpha = png_alpha(pixel, format.styles);
  if (!(alpha > 0)) return {0, 0, 0, pixel.alpha};
  return {alpha * curve(pixel.red / alpha), alpha * curve(pixel.green / alpha),
          alpha * curve(pixel.blue / alpha), pixel.alpha};
}

__device__ Pixel to_light(const Pixel& pixel, const MeanFormat& format) {
  if (!format.is_display) return pixel;
  return with_curve(pixel, format, [](float c) { return light_of_display(c); });
}

__device__ Pixel operator+(const Pixel& a, const Pixel& b) {
  return {a.red + b.red, a.green + b.green, a.blue + b.blue, a.alpha + b.alpha};
}

__device__ bool has_same_bits(const Pixel& a, const Pixel& b) {
  const auto is_same = [](float x, float y) { return __float_as_uint(x) == __float_as_uint(y); };
  return is_same(a.red, b.red) && is_same(a.green, b.green) && is_same(a.blue, b.blue) &&
         is_same(a.alpha, b.alpha);
}

__global__ void __launch_bounds__(kThreads)
    add_sample_kernel(const MeanArgs args, const Pixel* sample, std::uint32_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= std::size_t(args.width) * args.height) return;
  const Pixel added = sample[i];
  if (count == 0) {
    args.sums[i] = added;
    args.changes[i] = 0;
    return;
  }
  Pixel sum = args.sums[i];
  if (args.changes[i] == 0) {
    if (has_same_bits(sum, added)) return;
    args.changes[i] = 1;
    const Pixel light = to_light(sum, args.format);
    sum = light;
    for (std::uint32_t k = 1; k < count; ++k) sum = sum + light;
  }
  args.sums[i] = sum + to_light(added, args.format);
}

__global__ void __launch_bounds__(kThreads)
    divide_samples_kernel(const MeanArgs args, float count, const float* table,
                          const SampleFormat samples, int sample_bytes, std::uint8_t* bytes) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= std::size_t(args.width) * args.height) return;
  Pixel pixel = args.sums[i];
  if (args.changes[i] != 0) {
    pixel = {pixel.red / count, pixel.green / count, pixel.blue / count, pixel.alpha / count};
    if (args.format.is_display) pixel = with_curve(pixel, args.format, DisplayCurve(table));
    args.sums[i] = pixel;
  }
  if (bytes == nullptr) return;
  const auto x = static_cast<std::uint32_t>(i % args.width);
  const auto row = static_cast<std::uint32_t>(args.height - 1 - i / args.width);
  store_samples(pixel, samples, x, row, bytes + (std::size_t{row} * args.width + x) * sample_bytes);
}

dim3 blocks_for(const MeanArgs& args) {
  const std::size_t pixels = std::size_t(args.width) * static_cast<std::size_t>(args.height);
  return dim3(static_cast<unsigned>((pixels + kThreads - 1) / kThreads));
}

}  // namespace

void add_sample(const MeanArgs& args, const Pixel* sample, std::uint32_t count,
                cudaStream_t stream) {
  add_sample_kernel<<<blocks_for(args), kThreads, 0, stream>>>(args, sample, count);
  ROUNDEL_CUDA_CHECK_LAUNCH(stream);
}

void divide_samples(const MeanArgs& args, std::uint32_t count, const float* curve,
                    const SampleFormat& samples, std::uint8_t* bytes, cudaStream_t stream) {
  const int sample_bytes = (samples.has_alpha ? 4 : 3) * (samples.has_words ? 2 : 1);
  divide_samples_kernel<<<blocks_for(args), kThreads, 0, stream>>>(
      args, static_cast<float>(count), curve, samples, sample_bytes, bytes);
  ROUNDEL_CUDA_CHECK_LAUNCH(stream);
}

}  // namespace roundel::cuda
