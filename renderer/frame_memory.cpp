#include "renderer/frame_memory.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/generate.h"
#include "renderer/data/table.h"
#include "renderer/image/png_format.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/picture_bands.h"
#include "renderer/raster/chunk_plan.h"
#include "renderer/raster/least_drawing.h"
#include "renderer/render.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kBytesOfCircle = sizeof(Shape) + sizeof(Paint);
/// Sorted depths, while the circles of a scene are made.
constexpr std::uint64_t kSortBytes = sizeof(std::uint32_t);

/// Pieces of data files come and go between the large blocks, each of which then begins at the next
/// huge page: shapes, paints, lists, picture; where circles are made on the way only lists.
constexpr std::uint64_t kGapsOfData = 8 * kMiB, kGapOfLists = 5 * kMiB / 2;
/// Where what packing circles took is given back.
constexpr std::uint64_t kGapOfPacked = kMiB;
/// What reading all rows leaves between the blocks that are kept, before the first circle is drawn.
constexpr std::uint64_t kGapOfReading = 3 * kMiB;

/// What the numbers take that sort a layer's rows, where they stay in memory from their first
/// reading on and do not yet.
std::uint64_t kept_to_sort(const DataSource& data) {
  if (!data.map.order || data.table->kept_bytes() > 0) return 0;
  std::uint64_t numbers = 0;
  for (const std::size_t column : RowMapper::columns_of_order(data.map))
    if (!data.table->columns()[column].is_text) numbers += block_memory(data.rows * sizeof(double));
  return numbers;
}

std::uint64_t encoding_bytes(const ImageSettings& image, ImageFormat format) {
  const int channels = image.channels();
  const std::uint64_t picture = picture_bytes(image, format);
  // A float picture's rows go as the file grows, some MiB behind it; OpenEXR has blocks of 16 rows.
  constexpr std::uint64_t kRowsOfBlock = 16;
  const std::uint64_t behind = std::min(picture, 4 * kMiB);
  const std::uint64_t row = picture / static_cast<std::uint64_t>(image.height);
  if (format == ImageFormat::kPfm) return picture + behind;
  if (format == ImageFormat::kExr) return picture + behind + 2 * kRowsOfBlock * row;
  if (is_drawn_in_bands(image, format)) {
    // The band; its code where that was made, and in its place.
    return picture + 2 * (png_format::kBlockBytes + 2 * kMiB);
  }
  const PngShape shape{image.width, image.height, channels, image.bits};
  constexpr std::uint64_t kTables = 5 * kMiB / 8;  // of the compressor
  // The file grows as the picture's rows go; a block's code where it was made, and in its place,
  // and then its part of the file.
  if (is_streamed_png(shape))
    return picture + 2 * std::min<std::uint64_t>(shape.filtered_bytes(), png_format::kBlockBytes) +
           kTables;
  // The picture and its filtered rows; then these and the compressed ones; then these twice.
  return picture +
         block_memory(image.pixels() * static_cast<std::uint64_t>(channels) +
                      static_cast<std::uint64_t>(image.height)) +
         kTables;
}

[[noreturn]] void fail_for_budget(const Scene& scene, std::uint64_t bytes, std::uint64_t budget) {
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: --memory: {}M is too little, {}M is enough", scene.path,
                          budget / kMiB, bytes / kMiB + 1));
}

/// A --memory, at least `bytes`, with which the picture can be drawn for sure. The more there is,
/// the more do data keep in memory.
std::uint64_t enough_memory(const Scene& scene, ImageFormat format, std::uint64_t bytes) {
  const auto threads = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  Scene with = scene;
  for (;;) {
    with.memory = (bytes / kMiB + 1) * kMiB;
    const std::uint64_t drawing = least_drawing_bytes(with.image, count_parts(with), threads);
    std::uint64_t needed =
        frame_memory(with, format, Backend::kCpu, {drawing, drawing / kBytesOfCircle}, threads)
            .most();
    for (const Layer& layer : with.layers)
      if (const auto* const data = std::get_if<DataSource>(&layer.source)) {
        const std::uint64_t numbers = kept_to_sort(*data);
        if (numbers <= most_data_bytes(with)) needed += numbers;
      }
    needed += needed / 16;  // what reading takes is measured, and a little more from time to time
    if (needed <= with.memory) return with.memory - 1;  // which is said with the next MiB
    bytes = needed;
  }
}

}  // namespace

std::uint64_t FrameMemory::most() const {
  return std::max({generating, drawing, encoding});
}

std::uint64_t picture_bytes(const ImageSettings& image, ImageFormat format) {
  const std::uint64_t pixel =
      format != ImageFormat::kPng
          ? sizeof(Pixel)
          : static_cast<std::uint64_t>(image.channels()) * (image.bits == 16 ? 2 : 1);
  return block_memory(pixel_count(image.width, rows_of_band(image, format)) * pixel);
}

FrameMemory frame_memory(const Scene& scene, ImageFormat format, Backend backend,
                         const DrawingNeeds& needs, int threads) {
  const std::uint64_t count = count_parts(scene);
  const bool on_the_way = makes_circles_on_the_way(scene);
  std::uint64_t made = on_the_way ? 0 : count;
  const CircleSource source_of_scene(scene);
  // For CUDA a chunk is made in memory, to be uploaded, but random circles are made there.
  if (on_the_way && backend == Backend::kCuda && !source_of_scene.random_runs())
    made = needs.largest_chunk;
  const std::uint64_t circles = 2 * block_memory(made * kBytesOfCircle / 2);
  const std::uint64_t lists = backend == Backend::kCpu ? needs.memory : 0;
  const std::uint64_t kept =
      backend == Backend::kCpu && lists > 0 ? kept_by_threads(count, threads) : 0;
  const std::uint64_t depths = on_the_way ? 0 : block_memory(count * kSortBytes);
  const SourceMemory source = source_of_scene.own_memory();
  // An order's circles are placed in memory before they are listed.
  const std::uint64_t places =
      source.makes_chunks ? block_memory(needs.largest_chunk * sizeof(std::uint32_t)) : 0;
  std::uint64_t gaps = 0;
  if (source.working > 0)
    gaps = !on_the_way || source.stays > source.opened ? kGapsOfData
           : source_of_scene.makes_all_first()         ? kGapOfPacked
                                                       : kGapOfLists;
  // Circles stay for the next band.
  const std::uint64_t held = gaps + circles + (on_the_way ? source.held + places : source.working);
  const std::uint64_t stays = is_drawn_in_bands(scene.image, format) ? held
                              : on_the_way                           ? source.stays
                                                                     : source.opened;
  const std::uint64_t gap_of_reading = source.working > 0 ? kGapOfReading : 0;
  return {std::max(gap_of_reading, gaps) +
              std::max(source.most, (on_the_way ? source.held : source.at_once) + circles + depths),
          held + lists + picture_bytes(scene.image, format),
          stays + encoding_bytes(scene.image, format) + kept};
}

std::uint64_t program_memory(std::uint64_t at_start, ImageFormat format, Backend backend) {
  constexpr std::uint64_t kWorking =
      23 * kMiB / 4;  // what drawing and encoding load, with a margin
  constexpr std::uint64_t kOpenExr = kMiB;
  // CUDA's runtime and driver on the host: 87 to 107 MiB were measured with driver 580.
  constexpr std::uint64_t kCuda = 112 * kMiB;
  return at_start + kWorking + (format == ImageFormat::kExr ? kOpenExr : 0) +
         (backend == Backend::kCuda ? kCuda : 0);
}

std::uint64_t resident_memory() {
  std::uint64_t size = 0, resident = 0;  // pages
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

std::uint64_t memory_needed(const ImageSettings& image, ImageFormat format, std::uint64_t circles,
                            std::uint64_t overlaps, std::uint64_t list_budget) {
  const std::uint64_t pixels = image.pixels();
  std::uint64_t lists = overlaps * sizeof(std::uint32_t);
  if (list_budget > 0) lists = std::min(lists, list_budget);
  const auto channels = static_cast<std::uint64_t>(image.channels());
  // A PNG: the picture, its filtered rows, and the compressed ones, which may be no smaller; where
  // it is drawn in bands they take less. Float files: the framebuffer and the file.
  const std::uint64_t bytes = image.bits == 16 ? 2 : 1;
  const std::uint64_t picture =
      format == ImageFormat::kPng
          ? (is_drawn_in_bands(image, format) ? 1 : 3) * pixels * channels * bytes
          : pixels * (sizeof(Pixel) + 4 * channels);
  return circles * kBytesOfCircle + lists + picture;
}

void check_feasible(const Scene& scene, ImageFormat format, std::uint64_t budget) {
  const std::uint64_t least = frame_memory(scene, format, Backend::kCpu, {}, 0).most();
  check_memory(scene, least);
  if (budget > 0 && least > budget)
    fail_for_budget(scene, enough_memory(scene, format, least), budget);
}

void check_memory(const Scene& scene, std::uint64_t bytes, std::uint64_t budget) {
  const std::uint64_t available = physical_memory();
  if (bytes > available) {
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: needs {} of memory, this machine has {}", scene.path,
                            memory_text(static_cast<double>(bytes)),
                            memory_text(static_cast<double>(available))));
  }
  if (budget > 0 && bytes > budget) fail_for_budget(scene, bytes, budget);
}

}  // namespace roundel
