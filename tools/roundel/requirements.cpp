#include "tools/roundel/requirements.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/raster/circle.h"
#include "renderer/scene/text.h"

namespace roundel {

std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget) {
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height);
  std::uint64_t lists = overlaps * sizeof(std::uint32_t);
  if (list_budget > 0) lists = std::min(lists, list_budget);
  const std::uint64_t channels = image.alpha ? 4 : 3;
  // A PNG: the picture, its filtered rows, and the compressed ones, which may be no smaller; where
  // it is streamed the picture alone. Float files: the framebuffer and the file.
  const bool is_streamed = is_streamed_png(image.width, image.height, image.alpha ? 4 : 3);
  const std::uint64_t picture = format == ImageFormat::kPng
                                    ? (is_streamed ? 1 : 3) * pixels * channels
                                    : pixels * (sizeof(Pixel) + 4 * channels);
  return circles * (sizeof(Shape) + sizeof(Paint)) + lists + picture;
}

void check_feasible(const Scene& scene, ImageFormat format, std::uint64_t circles,
                    std::uint64_t list_budget) {
  const ImageSettings& image = scene.image;
  // Each circle in one list is the least; more of them only take what is free.
  check_memory(scene, memory_needed(image, format, circles, circles, list_budget));
}

void check_memory(const Scene& scene, std::uint64_t bytes) {
  const std::uint64_t available = physical_memory();
  if (bytes <= available) return;
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: needs {} of memory, this machine has {}", scene.path,
                          memory_text(static_cast<double>(bytes)),
                          memory_text(static_cast<double>(available))));
}

}  // namespace roundel
