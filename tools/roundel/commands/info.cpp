#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "renderer/base/cores.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/film/ranks.h"
#include "renderer/format/json_text.h"
#include "renderer/frame_encoder.h"
#include "renderer/image/files.h"
#include "renderer/info_json.h"
#include "renderer/raster/rasterizer.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::vector<std::string> files;
  bool json = false;
};

bool parse(const Arguments& arguments, InfoOptions& options) {
  CommandLine line(
      "info", "[FILE...] [OPTION...]",
      "Describes pictures, or without files this program and machine. A picture: size, bit depth, "
      "channels, colour space if it is not sRGB, an EXR's display window, pixel aspect and "
      "primaries if they are unusual, fingerprint of the scene, seed and frame, the part of scene "
      "space that it shows, and each layer's domains and categories. The machine: version, "
      "backends, devices, threads, memory and MPI.");
  line.add_arguments("FILE...", 0, kAnyNumber, options.files,
                     "pictures (PNG, EXR, PFM, JPEG, WebP)");
  line.add_switch("json", options.json,
                  {Group::kResults,
                   "print JSON; an array with one object a picture, or one object for the machine. "
                   "Memory is in bytes"});
  line.set_usual({"json"});
  line.set_examples({"roundel info", "roundel info tissue.png", "roundel info a.png b.png --json"});
  line.set_exit_codes(
      exit_codes(ExitCode::kInvalidScene, "a file is missing, damaged or not a picture"));
  line.set_guide("docs/command.md");
  return line.parse(arguments);
}

std::string row(const std::string& name, const std::string& value) {
  return fmt::format("  {:<14}{}\n", name, value);
}

Lines axes_text(const ImageMetadata& metadata) {
  const Json axes = axes_json(metadata);
  if (axes.empty()) return {};
  const Json &x = axes["window"][0], &y = axes["window"][1];
  Lines text =
      row("window", fmt::format("x {} to {}, y {} to {}", x[0].get<double>(), x[1].get<double>(),
                                y[0].get<double>(), y[1].get<double>()));
  for (const Json& layer : axes.value("layers", Json::array()))
    text += row("axes", layer.dump(-1, ' ', true, Json::error_handler_t::replace));
  return text;
}

Lines origin_text(const ImageMetadata& metadata) {
  return Lines(row("software", metadata.software)) + row("fingerprint", metadata.fingerprint) +
         row("seed", fmt::format("{}", metadata.seed)) +
         row("frame", fmt::format("{}", metadata.frame)) + axes_text(metadata);
}

Lines picture_text(const std::string& path, const PngInfo& info) {
  const char* const kChannelNames[] = {"none", "grey", "grey, alpha", "RGB", "RGBA"};
  Lines text = path;
  text += row("size", fmt::format("{}x{} pixels", info.width, info.height));
  text += row("bit depth", fmt::format("{} bits", info.bit_depth));
  text += row("channels", fmt::format("{} ({})", info.channels,
                                      kChannelNames[std::clamp(info.channels, 0, 4)]));
  if (!info.color_space.empty()) text += row("colour space", info.color_space);
  if (info.orientation != 1) text += row("orientation", fmt::format("{} (Exif)", info.orientation));
  if (info.metadata) return text + origin_text(*info.metadata);
  for (const auto& [keyword, value] : info.text) {
    text += row("text", roundel::quoted(keyword) + ": " + roundel::quoted(value));
  }
  return text;
}

Lines picture_text(const std::string& path, const ExrInfo& info) {
  const ExrDisplay& display = info.display;
  Lines text = Lines(path) + row("size", fmt::format("{}x{} pixels", info.width, info.height));
  if (!display.is_data_window) text += row("display", display.window());
  if (info.levels > 1) text += row("levels", fmt::format("{}", info.levels));
  if (display.pixel_aspect != 1)
    text += row("pixel aspect", fmt::format("{}", display.pixel_aspect));
  text += row("channels", fmt::format("{}", fmt::join(info.channels, ", ")));
  text += row("values", info.values.empty() ? "not said" : info.values);
  if (!display.chromaticities.empty()) text += row("primaries", display.chromaticities);
  return text + (info.metadata ? origin_text(*info.metadata) : Lines());
}

Lines picture_text(const std::string& path, const PfmHeader& header) {
  return Lines(path) + row("size", fmt::format("{}x{} pixels", header.width, header.height)) +
         row("bit depth",
             fmt::format("32 bits, float, {}-endian", header.is_big_endian ? "big" : "little")) +
         row("channels", header.channels == 3 ? "3 (RGB)" : "1 (grey)");
}

Lines picture_text(const std::string& path) {
  if (is_exr(path)) return picture_text(path, read_exr_info(path));
  if (const auto pfm = read_pfm_info(path)) return picture_text(path, *pfm);
  return picture_text(path, read_picture_info(path));
}

ExitCode describe_pictures(const InfoOptions& options) {
  Problems problems;
  Json pictures = Json::array();
  for (const std::string& path : options.files) {
    problems.attempt([&] {
      if (options.json) {
        pictures.push_back(picture_json(path));
      } else {
        print_out(picture_text(path));
      }
    });
  }
  if (options.json) print_data(json_text(pictures, 2));
  return problems.exit_code();
}

/// The MPI of this program, or why it is unavailable.
struct MpiState {
  std::string version, problem;
};
MpiState find_mpi() try {
  const std::string version = mpi_version();
  return {version, version.empty() ? "built without MPI" : ""};
} catch (const Error& error) {  // its module may be a separate package
  return {"", error.what()};
}

Lines machine_text(const std::vector<CudaDevice>& devices, const MpiState& mpi) {
  Lines text = kSoftware;
  text += row("backends",
              has_cuda_backend() ? "cpu, cuda" : "cpu (the module for CUDA is not installed)");
  text += row("threads", fmt::format("{}", default_threads()));
  text += row("vectors", cpu_vector_target());
  text += row("memory", memory_text(static_cast<double>(physical_memory())));
  for (const CudaDevice& device : devices) {
    text += row(fmt::format("device {}", device.index),
                fmt::format("{}, compute capability {}.{}, {}", device.name,
                            device.compute_capability / 10, device.compute_capability % 10,
                            memory_text(static_cast<double>(device.total_memory))));
  }
  if (has_cuda_backend() && devices.empty()) text += row("devices", "none");
  text += row("MPI", mpi.problem.empty() ? mpi.version : "none (" + mpi.problem + ")");
  return text;
}

ExitCode describe_machine(const InfoOptions& options) {
  Problems problems;
  std::vector<CudaDevice> devices;
  problems.attempt([&] { devices = cuda_devices(); });  // the rest helps even more in this case
  const MpiState mpi = find_mpi();
  Json json = machine_json(devices);
  json["mpi"] = mpi.version.empty() ? Json() : Json(mpi.version);
  if (options.json)
    print_data(json_text(json, 2));
  else
    print_out(machine_text(devices, mpi));
  return problems.exit_code();
}

}  // namespace

int run_info(const Arguments& arguments) {
  InfoOptions options;
  if (!parse(arguments, options)) return 0;
  return static_cast<int>(options.files.empty() ? describe_machine(options)
                                                : describe_pictures(options));
}

}  // namespace roundel
