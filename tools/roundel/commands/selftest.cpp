#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>

#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/selftest_compare.h"
#include "tools/roundel/commands/selftest_scenes.h"

namespace roundel {
namespace {

constexpr int kThreadCounts[] = {2, 7};
constexpr int kBinSizes[] = {16, 64, 128};
constexpr std::uint64_t kChunks[] = {7, 1000};                   // circles
constexpr std::uint64_t kSmallHost = std::uint64_t{4} << 20;     // bytes, for lists and states
constexpr std::uint64_t kSmallDevice = std::uint64_t{16} << 20;  // bytes, for all a picture needs
constexpr std::uint64_t kMostChunks = 2500;                      // more would only take long

void add_variants(Backend backend, const std::string& prefix, const RasterOptions& base,
                  std::vector<Variant>& variants) {
  const auto add = [&](const std::string& what, const RasterOptions& options) {
    variants.push_back(
        {prefix + ", " + what, options,
         backend == Backend::kCpu ? make_cpu_rasterizer(options) : make_cuda_rasterizer(options)});
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
  options.memory_budget = backend == Backend::kCpu ? kSmallHost : kSmallDevice;
  add(fmt::format("{} MiB of memory", options.memory_budget >> 20), options);
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

/// Compares all variants on one scene, prints differences, returns their number.
int check_scene(const NamedScene& scene, std::vector<Variant>& variants, bool quiet) {
  const auto start = std::chrono::steady_clock::now();
  Variant& reference = variants.front();
  const Drawing expected = draw(reference, scene);
  int compared = 1, differing = 0;
  for (std::size_t i = 1; i < variants.size(); ++i) {
    if (!is_worth_trying(variants[i], scene.circles.count())) continue;
    ++compared;
    const std::string difference = difference_text(scene, expected, reference, variants[i]);
    if (difference.empty()) continue;
    ++differing;
    print_out(difference);
  }
  if (!quiet) {
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    print_out(fmt::format("{:<24}{:>10} {:>10} circles {:>3} variants {:>7.0f} ms  {}\n",
                          scene.name, fmt::format("{}x{}", scene.image.width, scene.image.height),
                          with_commas(scene.circles.count()), compared, elapsed.count(),
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
  const bool quiet = options.verbosity == Verbosity::kQuiet;
  if (options.verbosity == Verbosity::kVerbose) {
    for (const Variant& variant : variants) print_out(variant.name + "\n");
  }
  int scenes = 0, differing = 0;
  for (const NamedScene& scene : selftest_scenes()) {
    ++scenes;
    if (check_scene(scene, variants, quiet) > 0) ++differing;
  }
  if (!quiet) {
    print_out(differing == 0
                  ? fmt::format("all {} scenes equal in {} variants\n", scenes, variants.size())
                  : fmt::format("{} of {} scenes DIFFERENT\n", differing, scenes));
  }
  return differing == 0 ? 0 : 1;
}

}  // namespace roundel
