#include <cmath>
#include <cstring>

// The interface's types come after the library's.
#include "renderer/api/inner.h"

namespace roundel {
inline namespace v0 {
namespace {

template <typename Sample>
Pixels pixels_of(int width, int height, int channels, SampleType type,
                 std::span<const Sample> samples) {
  check_range("width", width, 1, kMaxImageSide);
  check_range("height", height, 1, kMaxImageSide);
  check_range("channels", channels, 1, 4);
  const std::size_t count = pixel_count(width, height) * static_cast<std::size_t>(channels);
  check(samples.size() == count, "samples",
        fmt::format("{} of {}x{} pixels with {} channels", count, width, height, channels),
        samples.size());
  Pixels pixels{width, height, channels, type, Buffer<std::uint8_t>(samples.size_bytes())};
  std::memcpy(pixels.bytes.data(), samples.data(), samples.size_bytes());
  return pixels;
}

/// Returns the samples of a picture from a file; 16-bit words are the file's.
Pixels pixels_of(const inner::Picture& file) {
  const int width = file.width, height = file.height, channels = file.channels;
  if (file.samples == inner::Picture::Samples::kBytes)
    return pixels_of<std::uint8_t>(width, height, channels, SampleType::kUint8, file.bytes.span());
  if (file.samples == inner::Picture::Samples::kFloats)
    return pixels_of<float>(width, height, channels, SampleType::kFloat32, file.floats.span());
  constexpr float kWordsOfLevel = 257;
  std::vector<std::uint16_t> words;
  words.reserve(file.floats.size());
  for (const float level : file.floats)
    words.push_back(static_cast<std::uint16_t>(std::lround(level * kWordsOfLevel)));
  return pixels_of<std::uint16_t>(width, height, channels, SampleType::kUint16, words);
}

template <typename Sample>
std::span<const Sample> span_of(const Pixels& pixels, SampleType type) {
  constexpr const char* kNames[] = {"uint8", "uint16", "float32"};
  const auto name_of = [&](SampleType one) { return kNames[static_cast<std::size_t>(one)]; };
  check(pixels.type == type, name_of(type), fmt::format("a picture of {}", name_of(type)),
        name_of(pixels.type));
  return {reinterpret_cast<const Sample*>(pixels.bytes.data()),
          pixels.bytes.size() / sizeof(Sample)};
}

}  // namespace

Picture::Picture(int width, int height, int channels, std::span<const std::uint8_t> samples)
    : state_(std::make_shared<const State>(
          State{pixels_of(width, height, channels, SampleType::kUint8, samples)})) {}
Picture::Picture(int width, int height, int channels, std::span<const std::uint16_t> samples)
    : state_(std::make_shared<const State>(
          State{pixels_of(width, height, channels, SampleType::kUint16, samples)})) {}
Picture::Picture(int width, int height, int channels, std::span<const float> samples)
    : state_(std::make_shared<const State>(
          State{pixels_of(width, height, channels, SampleType::kFloat32, samples)})) {}

Picture Picture::from_file(const std::string& path) {
  return inner::guarded([&] {
    inner::Picture file = read_picture(path);
    Pixels pixels = pixels_of(file);
    return Access::value<Picture>({std::move(pixels), std::move(file)});
  });
}

int Picture::width() const {
  return state_->pixels.width;
}

int Picture::height() const {
  return state_->pixels.height;
}

int Picture::channels() const {
  return state_->pixels.channels;
}

Samples Picture::samples() const {
  return static_cast<Samples>(state_->pixels.type);
}

std::span<const std::uint8_t> Picture::uint8() const {
  return span_of<std::uint8_t>(state_->pixels, SampleType::kUint8);
}

std::span<const std::uint16_t> Picture::uint16() const {
  return span_of<std::uint16_t>(state_->pixels, SampleType::kUint16);
}

std::span<const float> Picture::float32() const {
  return span_of<float>(state_->pixels, SampleType::kFloat32);
}

}  // namespace v0
}  // namespace roundel
