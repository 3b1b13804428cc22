#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "renderer/base/cores.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/image/bit_difference.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/selftest.h"

namespace roundel {
namespace {

struct SelftestOptions {
  BackendChoice backend = BackendChoice::kAuto;
  int threads = 0;  ///< one more number of CPU threads to try; 0: one a core
  bool all_vectors = false;
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, SelftestOptions& options) {
  CommandLine line("selftest", "[OPTION...]",
                   "Compares the pictures of all backends and devices, bit by bit. Draws generated "
                   "scenes and all classic ones, with several numbers of threads, tile sizes "
                   "(pixels) and chunk sizes (circles), and with --vectors all with each "
                   "instruction set of the processor. Prints the first difference with its "
                   "pixel, both values and the fewest circles that show it.");
  add_backend(line, options.backend,
              "auto, cpu or cuda; auto is cpu and every CUDA device, cuda the same, but a device "
              "must be present. Default: auto");
  add_threads(
      line, options.threads,
      fmt::format("number of CPU threads to try, besides 1, 2 and 7; 1 to {}, default: one a core",
                  kMaxThreads));
  line.add_value("vectors", "WHICH", one_of(options.all_vectors, {{"best", false}, {"all", true}}),
                 {Group::kMachine,
                  "the CPU's instruction sets to try: best or all; all also compares the circles "
                  "and the PNG files that each set makes, and prints which sets the processor or "
                  "this build lacks. Default: best"});
  add_quiet(line, options.verbosity, "print only differences");
  add_verbose(line, options.verbosity, "list the variants first");
  line.set_usual({"backend", "threads", "vectors", "quiet", "verbose"});
  line.set_examples({"roundel selftest", "roundel selftest --vectors all",
                     "roundel selftest --backend cuda --threads 4 --verbose"});
  line.set_exit_codes(
      "0 all equal; 1 a difference, or a failure at run time; 2 wrong command line; 130, 143 after "
      "SIGINT (Ctrl-C), SIGTERM");
  line.set_guide("docs/command.md");
  return line.parse(arguments);
}

NamedScene with_first_circles(const NamedScene& scene, std::size_t count) {
  NamedScene prefix{scene.name, scene.image, {}};
  prefix.circles.shapes.resize_discard(count);
  prefix.circles.paints.resize_discard(count);
  std::copy_n(scene.circles.shapes.data(), count, prefix.circles.shapes.data());
  std::copy_n(scene.circles.paints.data(), count, prefix.circles.paints.data());
  return prefix;
}

void select_vectors(const std::string& vectors) {
  if (!force_cpu_vector_target(vectors))
    throw Error(ExitCode::kRuntimeFailure, "the processor has no instruction set " + vectors);
}

Framebuffer draw_float(Variant& variant, const NamedScene& scene) {
  select_vectors(variant.vectors);
  Framebuffer framebuffer;
  StageStats stats;
  variant.rasterizer->draw(scene.circles, scene.image, framebuffer, stats);
  return framebuffer;
}

std::string pixel_text(const Framebuffer& framebuffer, int x, int y) {
  const Pixel& p =
      framebuffer.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(framebuffer.width) +
                         static_cast<std::size_t>(x)];
  return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}  ({:a} {:a} {:a} {:a})", p.red, p.green, p.blue,
                     p.alpha, p.red, p.green, p.blue, p.alpha);
}

constexpr int kThreadCounts[] = {2, 7};
constexpr int kTileSizes[] = {16, 64, 128};
constexpr std::uint64_t kChunks[] = {7, 1000};                   // circles
constexpr std::uint64_t kSmallHost = std::uint64_t{4} << 20;     // bytes, for lists and states
constexpr std::uint64_t kSmallDevice = std::uint64_t{16} << 20;  // bytes, for a whole picture
constexpr std::uint64_t kMaxChunks = 2500;                       // more would take long

void add_variants(Backend backend, const std::string& prefix, const RasterOptions& base,
                  const std::string& vectors, std::vector<Variant>& variants) {
  const auto add = [&](const std::string& what, const RasterOptions& options) {
    variants.push_back(
        {prefix + ", " + what, options,
         backend == Backend::kCpu ? make_cpu_rasterizer(options) : make_cuda_rasterizer(options),
         vectors});
  };
  if (backend == Backend::kCpu) {
    for (const int tile_size : kTileSizes) {
      RasterOptions options = base;
      options.tile_size = tile_size;
      add(fmt::format("tiles of {} pixels", tile_size), options);
    }
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

/// The others are compared with the first variant. `vectors`: instruction sets to try, the best
/// first; may be empty.
std::vector<Variant> make_variants(const SelftestOptions& options,
                                   const std::vector<std::string>& vectors) {
  std::vector<Variant> variants;
  RasterOptions one_thread;
  one_thread.threads = 1;
  variants.push_back({"cpu, 1 thread", one_thread, make_cpu_rasterizer(one_thread),
                      vectors.empty() ? "" : vectors.front()});
  std::vector<int> thread_counts(std::begin(kThreadCounts), std::end(kThreadCounts));
  thread_counts.push_back(options.threads > 0 ? options.threads : default_threads());
  std::sort(thread_counts.begin(), thread_counts.end());
  thread_counts.erase(std::unique(thread_counts.begin(), thread_counts.end()), thread_counts.end());
  for (const int threads : thread_counts) {
    if (threads == 1) continue;
    RasterOptions raster;
    raster.threads = threads;
    variants.push_back(
        {fmt::format("cpu, {} threads", threads), raster, make_cpu_rasterizer(raster)});
  }
  add_variants(Backend::kCpu, "cpu", {}, "", variants);
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    const std::string name = "cpu with " + vectors[i];
    variants.push_back({name, {}, make_cpu_rasterizer({}), vectors[i]});
    add_variants(Backend::kCpu, name, {}, vectors[i], variants);
  }
  if (options.backend == BackendChoice::kCpu) return variants;

  MachineOptions machine;
  machine.backend = options.backend;
  if (choose_backend(machine).backend == Backend::kCpu) return variants;
  for (const CudaDevice& device : cuda_devices()) {
    RasterOptions raster;
    raster.device = device.index;
    const std::string name = fmt::format("cuda device {}", device.index);
    variants.push_back({name, raster, make_cuda_rasterizer(raster)});
    add_variants(Backend::kCuda, name, raster, "", variants);
  }
  return variants;
}

/// Returns false if the variant equals the default, or takes too many chunks.
bool is_worth_trying(const Variant& variant, std::size_t circles) {
  const std::uint64_t chunk = variant.options.chunk_circles;
  return chunk == 0 || (chunk < circles && circles / chunk <= kMaxChunks);
}

/// Compares all variants on one scene, prints differences, returns their number.
int check_scene(const NamedScene& scene, std::vector<Variant>& variants, bool quiet) {
  const Stopwatch watch;
  Variant& reference = variants.front();
  const Drawing expected = draw(reference, scene);
  int compared = 1, differing = 0;
  for (std::size_t i = 1; i < variants.size(); ++i) {
    if (!is_worth_trying(variants[i], scene.circles.count())) continue;
    ++compared;
    const Lines difference = difference_text(scene, expected, reference, variants[i]);
    if (difference.empty()) continue;
    ++differing;
    print_out(difference);
  }
  if (!quiet) {
    print_out(fmt::format("{:<24}{:>10} {:>10} circles {:>3} variants {:>7.0f} ms  {}\n",
                          scene.name, fmt::format("{}x{}", scene.image.width, scene.image.height),
                          with_commas(scene.circles.count()), compared, 1e3 * watch.seconds(),
                          differing == 0 ? "equal" : "DIFFERENT"));
    finish_output();
  }
  return differing;
}

/// Prints which instruction sets are tried, and which are missing.
void print_vectors(const std::vector<std::string>& vectors) {
  print_out(fmt::format("vectors {}\n", fmt::join(vectors, ", ")));
  for (const MissingVectorTarget& missing : cpu_missing_vector_targets()) {
    print_out(fmt::format("vectors {} not tried: {} lacks them\n", missing.name,
                          missing.is_built ? "this processor" : "this build"));
  }
}

/// Makes the scenes with each other instruction set, prints differences of their circles, adds the
/// scenes' names to `differing`.
void check_circles(const std::vector<NamedScene>& expected, const std::vector<std::string>& vectors,
                   std::set<std::string>& differing) {
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    select_vectors(vectors[i]);
    const std::vector<NamedScene> actual = selftest_scenes();
    for (std::size_t scene = 0; scene < expected.size(); ++scene) {
      const Lines difference = circle_difference_text(expected[scene], actual[scene], vectors[i]);
      if (difference.empty()) continue;
      differing.insert(expected[scene].name);
      print_out(difference);
    }
  }
  select_vectors("");
}

}  // namespace

Drawing draw(Variant& variant, const NamedScene& scene) {
  Drawing drawing{draw_float(variant, scene), {}};
  StageStats stats;
  variant.rasterizer->draw(scene.circles, scene.image, drawing.image, stats);
  if (!variant.vectors.empty()) drawing.png = encode_png(drawing.image, {"selftest", "", 0, 0});
  return drawing;
}

Lines circle_difference_text(const NamedScene& expected, const NamedScene& actual,
                             const std::string& vectors) {
  const std::size_t count = expected.circles.count();
  std::size_t first = 0;
  if (actual.circles.count() == count) {
    const auto same = [&](std::size_t i) {
      return std::memcmp(&expected.circles.shapes[i], &actual.circles.shapes[i], sizeof(Shape)) ==
                 0 &&
             std::memcmp(&expected.circles.paints[i], &actual.circles.paints[i], sizeof(Paint)) ==
                 0;
    };
    while (first < count && same(first)) ++first;
    if (first == count) return {};
  }
  return fmt::format("{}: the circles differ if they are made with vectors {}, the first is {}\n",
                     expected.name, vectors, first);
}

std::size_t fewest_that_differ(const NamedScene& scene, Variant& reference, Variant& variant) {
  const auto differs = [&](std::size_t count) {
    const NamedScene prefix = with_first_circles(scene, count);
    return !compare(draw_float(reference, prefix), draw_float(variant, prefix)).same();
  };
  if (differs(0)) return 0;
  std::size_t equal = 0, different = scene.circles.count();
  while (different - equal > 1) {
    const std::size_t middle = equal + (different - equal) / 2;
    (differs(middle) ? different : equal) = middle;
  }
  return different;
}

Lines difference_text(const NamedScene& scene, const Drawing& expected, Variant& reference,
                      Variant& variant) {
  const Drawing actual = draw(variant, scene);
  const Difference difference = compare(expected.framebuffer, actual.framebuffer);
  if (difference.pixels > 0) {
    const int x = difference.x, y = difference.y;
    return Lines(fmt::format("{}: {} pixels differ between \"{}\" and \"{}\", the first in column "
                             "{} of row {} from the bottom (red green blue alpha):",
                             scene.name, difference.pixels, reference.name, variant.name, x, y)) +
           ("  " + pixel_text(expected.framebuffer, x, y)) +
           ("  " + pixel_text(actual.framebuffer, x, y)) +
           fmt::format("  the first {} of {} circles show it",
                       fewest_that_differ(scene, reference, variant), scene.circles.count());
  }
  if (!compare(expected.image, actual.image).same()) {
    return fmt::format("{}: the pictures of \"{}\" and \"{}\" differ, in floats they do not\n",
                       scene.name, reference.name, variant.name);
  }
  if (!actual.png.empty() && !expected.png.empty() && actual.png != expected.png) {
    return fmt::format("{}: the PNG files of \"{}\" and \"{}\" differ, their pixels do not\n",
                       scene.name, reference.name, variant.name);
  }
  return {};
}

int run_selftest(const Arguments& arguments) {
  SelftestOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit(std::max({kThreadCounts[1], options.threads, default_threads()}));
  const std::vector<std::string> vectors =
      options.all_vectors ? cpu_vector_targets() : std::vector<std::string>{};
  std::vector<Variant> variants = make_variants(options, vectors);
  const bool quiet = options.verbosity == Verbosity::kQuiet;
  if (options.all_vectors && !quiet) print_vectors(vectors);
  if (options.verbosity == Verbosity::kVerbose) {
    for (const Variant& variant : variants) print_out(variant.name);
  }
  const std::vector<NamedScene> scenes = selftest_scenes();
  std::set<std::string> differing;
  check_circles(scenes, vectors, differing);
  for (const NamedScene& scene : scenes)
    if (check_scene(scene, variants, quiet) > 0) differing.insert(scene.name);
  if (!quiet) {
    print_out(
        differing.empty()
            ? fmt::format("all {} scenes equal in {} variants\n", scenes.size(), variants.size())
            : fmt::format("{} of {} scenes DIFFERENT\n", differing.size(), scenes.size()));
  }
  return differing.empty() ? 0 : 1;
}

}  // namespace roundel
