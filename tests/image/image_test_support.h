#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/image/to_image.h"

namespace roundel {

/// An empty folder of a test's own, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "roundel-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }
  std::size_t count_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::uint8_t> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, std::span<const std::uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

/// Overlapping discs of random colours over white, the picture this program makes; values up
/// to 1.2.
inline Framebuffer discs(int width, int height, int count, unsigned seed, float alpha = 1) {
  std::mt19937 random(seed);
  const auto draw = [&random] { return static_cast<float>(random() >> 8) * 0x1p-24f; };
  Framebuffer framebuffer;
  framebuffer.resize(width, height);
  for (Pixel& pixel : framebuffer.pixels) pixel = {1, 1, 1, alpha};
  for (int k = 0; k < count; ++k) {
    const float x = draw() * static_cast<float>(width), y = draw() * static_cast<float>(height);
    const float radius = draw() * 0.1f * static_cast<float>(width) + 1;
    const Pixel color{draw() * 1.2f, draw(), draw(), 1};
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) {
        const float dx = static_cast<float>(i) - x, dy = static_cast<float>(j) - y;
        if (dx * dx + dy * dy > radius * radius) continue;
        Pixel& pixel = framebuffer.pixels[static_cast<std::size_t>(j * width + i)];
        pixel.red = 0.5f * (pixel.red + color.red);
        pixel.green = 0.5f * (pixel.green + color.green);
        pixel.blue = 0.5f * (pixel.blue + color.blue);
      }
    }
  }
  return framebuffer;
}

/// `framebuffer` in 8 bits.
inline Image to_image(const Framebuffer& framebuffer, bool alpha,
                      BlendSpace blend_space = BlendSpace::kDisplay) {
  ImageSettings settings;
  settings.alpha = alpha;
  settings.blend_space = blend_space;
  return to_image(framebuffer, settings);
}

inline Image random_image(int width, int height, int channels, unsigned seed) {
  std::mt19937 random(seed);
  Image image;
  image.resize(width, height, channels);
  for (std::uint8_t& byte : image.bytes) byte = static_cast<std::uint8_t>(random());
  return image;
}

inline const ImageMetadata kMetadata{"roundel 0.1.0", "00112233445566778899aabbccddeeff",
                                     4294967295U, 9000000000};

/// Runs `action`, which must throw an Error; returns it.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return Error(ExitCode::kDone, "");
}

}  // namespace roundel
