#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>

#include "renderer/base/error.h"
#include "renderer/image/compare.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/machine.h"
#include "tools/roundel/selftest_scenes.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

/// One way to draw a picture; all must give the same bits.
struct Variant {
  std::string name;
  RasterOptions options;
  std::unique_ptr<Rasterizer> rasterizer;
};

constexpr int kThreadCounts[] = {2, 7};
constexpr int kBinSizes[] = {16, 64, 128};
constexpr std::uint64_t kChunks[] = {7, 1000};                 // circles
constexpr std::uint64_t kSmallLists = std::uint64_t{1} << 20;  // bytes
constexpr std::uint64_t kMostChunks = 2500;                    // more would only take long

void add_variants(Backend backend, const std::string& prefix, const RasterOptions& base,
                  std::vector<Variant>& variants) {
  const auto add = [&](const std::string& what, const RasterOptions& options) {
    variants.push_back({prefix + ", " + what, options, make_rasterizer(backend, options)});
  };
  for (const int bin_size : kBinSizes) {
    RasterOptions options = base;
    options.bin_size = bin_size;
    add(fmt::format("bins of {} pixels", bin_size), options);
  }
  for (const std::uint64_t chunk : kChunks) {
    RasterOptions options = base;
    options.chunk_circles = chunk;
    add(fmt::format("chunks of {} circles", chunk), options);
  }
  RasterOptions options = base;
  options.memory_budget = kSmallLists;
  add(fmt::format("lists of {} bytes", kSmallLists), options);
}

/// The first variant is the one that the others are compared with.
std::vector<Variant> make_variants(const SelftestOptions& options) {
  std::vector<Variant> variants;
  RasterOptions one_thread;
  one_thread.threads = 1;
  variants.push_back({"cpu, 1 thread", one_thread, make_cpu_rasterizer(one_thread)});
  std::vector<int> thread_counts(std::begin(kThreadCounts), std::end(kThreadCounts));
  thread_counts.push_back(options.threads > 0 ? options.threads : tbb::info::default_concurrency());
  std::sort(thread_counts.begin(), thread_counts.end());
  thread_counts.erase(std::unique(thread_counts.begin(), thread_counts.end()), thread_counts.end());
  for (const int threads : thread_counts) {
    if (threads == 1) continue;
    RasterOptions raster;
    raster.threads = threads;
    variants.push_back(
        {fmt::format("cpu, {} threads", threads), raster, make_cpu_rasterizer(raster)});
  }
  add_variants(Backend::kCpu, "cpu", {}, variants);
  if (options.backend == BackendChoice::kCpu) return variants;

  MachineOptions machine;
  machine.backend = options.backend;
  if (choose_backend(machine).backend == Backend::kCpu) return variants;
  for (const CudaDevice& device : cuda_devices()) {
    RasterOptions raster;
    raster.device = device.index;
    const std::string name = fmt::format("cuda device {}", device.index);
    variants.push_back({name, raster, make_cuda_rasterizer(raster)});
    add_variants(Backend::kCuda, name, raster, variants);
  }
  return variants;
}

/// False where the variant would not differ from the default, or take very many chunks.
bool is_worth_trying(const Variant& variant, std::size_t circles) {
  const std::uint64_t chunk = variant.options.chunk_circles;
  return chunk == 0 || (chunk < circles && circles / chunk <= kMostChunks);
}

Circles first_circles(const Circles& circles, std::size_t count) {
  Circles prefix;
  prefix.shapes.resize_discard(count);
  prefix.paints.resize_discard(count);
  std::copy_n(circles.shapes.data(), count, prefix.shapes.data());
  std::copy_n(circles.paints.data(), count, prefix.paints.data());
  return prefix;
}

Framebuffer draw(Variant& variant, const Circles& circles, const ImageSettings& image) {
  Framebuffer framebuffer;
  StageStats stats;
  variant.rasterizer->draw(circles, image, framebuffer, stats);
  return framebuffer;
}

bool same_bytes(const Image& a, const Image& b) {
  return a.width == b.width && a.height == b.height && a.channels == b.channels &&
         std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
}

Image draw_8_bit(Variant& variant, const Circles& circles, const ImageSettings& image) {
  Image result;
  StageStats stats;
  variant.rasterizer->draw(circles, image, result, stats);
  return result;
}

/// The fewest of the first circles, in paint order, that still show a difference; by bisection, so
/// if differences come and go with the number it is one where they come.
std::size_t fewest_that_differ(Variant& reference, Variant& variant, const Circles& circles,
                               const ImageSettings& image) {
  const auto differs = [&](std::size_t count) {
    const Circles prefix = first_circles(circles, count);
    return compare_bits(draw(reference, prefix, image), draw(variant, prefix, image)).pixels > 0;
  };
  if (differs(0)) return 0;
  std::size_t equal = 0, different = circles.count();
  while (different - equal > 1) {
    const std::size_t middle = equal + (different - equal) / 2;
    (differs(middle) ? different : equal) = middle;
  }
  return different;
}

std::string pixel_text(const Framebuffer& framebuffer, int x, int y) {
  const Pixel& p =
      framebuffer.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(framebuffer.width) +
                         static_cast<std::size_t>(x)];
  return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}  ({:a} {:a} {:a} {:a})", p.red, p.green, p.blue,
                     p.alpha, p.red, p.green, p.blue, p.alpha);
}

/// Compares all variants on one scene, prints differences, returns their number.
int check_scene(const NamedScene& named, std::vector<Variant>& variants,
                const SelftestOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const ImageSettings& image = named.image;
  const Circles& circles = named.circles;

  Variant& reference = variants.front();
  const Framebuffer expected = draw(reference, circles, image);
  const Image expected_8_bit = draw_8_bit(reference, circles, image);
  int compared = 0, differing = 0;
  for (std::size_t i = 1; i < variants.size(); ++i) {
    Variant& variant = variants[i];
    if (!is_worth_trying(variant, circles.count())) continue;
    ++compared;
    const Framebuffer actual = draw(variant, circles, image);
    const Difference difference = compare_bits(expected, actual);
    if (difference.pixels > 0) {
      ++differing;
      const int x = difference.x, y = difference.y;
      print_out(fmt::format(
          "{}: {} pixels differ between \"{}\" and \"{}\", the first at column {} of row {} from "
          "the "
          "bottom (red green blue alpha):\n  {}\n  {}\n  the first {} of {} circles show it\n",
          named.name, difference.pixels, reference.name, variant.name, x, y,
          pixel_text(expected, x, y), pixel_text(actual, x, y),
          fewest_that_differ(reference, variant, circles, image), circles.count()));
    } else if (!same_bytes(expected_8_bit, draw_8_bit(variant, circles, image))) {
      ++differing;
      print_out(
          fmt::format("{}: the 8-bit pictures of \"{}\" and \"{}\" differ, the float ones do "
                      "not\n",
                      named.name, reference.name, variant.name));
    }
  }
  if (options.verbosity != Verbosity::kQuiet) {
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    print_out(fmt::format("{:<24}{:>10} {:>10} circles {:>3} variants {:>7.0f} ms  {}\n",
                          named.name, fmt::format("{}x{}", image.width, image.height),
                          with_commas(circles.count()), compared + 1, elapsed.count(),
                          differing == 0 ? "equal" : "DIFFERENT"));
    finish_output();
  }
  return differing;
}

}  // namespace

int run_selftest(const Arguments& arguments) {
  SelftestOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit(
      std::max({kThreadCounts[1], options.threads, tbb::info::default_concurrency()}));
  std::vector<Variant> variants = make_variants(options);
  if (options.verbosity == Verbosity::kVerbose) {
    for (const Variant& variant : variants) print_out(variant.name + "\n");
  }
  int scenes = 0, differing = 0;
  for (const NamedScene& named : selftest_scenes()) {
    ++scenes;
    if (check_scene(named, variants, options) > 0) ++differing;
  }
  if (options.verbosity != Verbosity::kQuiet) {
    print_out(differing == 0
                  ? fmt::format("all {} scenes equal in {} variants\n", scenes, variants.size())
                  : fmt::format("{} of {} scenes DIFFERENT\n", differing, scenes));
  }
  return differing == 0 ? 0 : 1;
}

}  // namespace roundel
