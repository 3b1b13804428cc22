// The module roundel._core: the library's functions for the package roundel. Long work runs without
// the GIL.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "python/arguments.h"
#include "python/device_array.h"
#include "python/errors.h"
#include "python/frames.h"
#include "python/inspection.h"
#include "python/loaded_scene.h"
#include "python/pixels.h"
#include "renderer/base/atomic_file.h"
#include "renderer/base/error.h"
#include "renderer/base/write_file.h"
#include "renderer/circles/generate.h"
#include "renderer/description.h"
#include "renderer/explain/scene_text.h"
#include "renderer/format/key_hints.h"
#include "renderer/frame_encoder.h"
#include "renderer/info_json.h"
#include "renderer/machine_options.h"
#include "renderer/raster/device_memory.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/input_files.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_spec.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

/// Keeps the rasterizer of the last picture for the next one: its memory, and CUDA's context.
class KeptRasterizer {
 public:
  KeptRasterizer(Backend backend, const RasterOptions& options)
      : key_{backend, options.threads, options.memory_budget} {
    {
      const std::lock_guard lock(mutex());
      if (kept().first == key_) rasterizer_ = std::move(kept().second);
    }
    if (!rasterizer_) rasterizer_ = make_rasterizer(backend, options);
  }
  Rasterizer& get() { return *rasterizer_; }
  /// Not called after a failure, since the rasterizer may be in mid-work.
  void keep() {
    const std::lock_guard lock(mutex());
    kept() = {key_, std::move(rasterizer_)};
  }

 private:
  using Key = std::tuple<Backend, int, std::uint64_t>;
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  /// Never destroyed: CUDA may have ended before.
  static std::pair<Key, std::unique_ptr<Rasterizer>>& kept() {
    static auto* const one = new std::pair<Key, std::unique_ptr<Rasterizer>>();
    return *one;
  }

  Key key_;
  std::unique_ptr<Rasterizer> rasterizer_;
};

/// Calls draw(rasterizer) with the requested number of threads.
template <typename Draw>
void with_rasterizer(const Scene& scene, const MachineOptions& machine, const Draw& draw) {
  const bool is_requested = machine.backend != BackendChoice::kAuto;
  const auto cost = is_requested ? std::optional<DrawingCost>() : drawing_cost(scene);
  const auto draw_once = [&] {
    note_process();
    const Backend backend = find_backend(machine, cost).backend;
    const auto draw_on_it = [&] {
      KeptRasterizer rasterizer(backend, machine.raster);
      draw(rasterizer.get());
      rasterizer.keep();
    };
    // Querying a thread's device would already start CUDA.
    if (backend == Backend::kCuda)
      preserve_device(draw_on_it);
    else
      draw_on_it();
  };
  if (machine.raster.threads > 0)
    tbb::task_arena(machine.raster.threads).execute(draw_once);
  else
    draw_once();
}

/// Calls draw(rasterizer, circles, stats) for a frame, and warns about the picture.
template <typename Draw>
void draw_frame(const LoadedScene& loaded, const LoadedScene::Frame& frame,
                const MachineOptions& machine, SampleType type, const Draw& draw) {
  const ImageSettings& image = frame.scene->image;
  CircleSample sample;
  StageStats stats;
  with_rasterizer(*frame.scene, machine, [&](Rasterizer& rasterizer) {
    loaded.draw(frame, rasterizer, [&](const CircleStream& circles) {
      if (!loaded.has_warned()) sample = sample_circles(circles, image);
      draw(rasterizer, circles, stats);
    });
  });
  // The limit of faint pixels depends on the scene's bits.
  constexpr double kLevelsOfWords = 65535.0 / 255;
  if (type == SampleType::kUint16 && image.bits == 8) sample.ink *= kLevelsOfWords;
  if (type == SampleType::kUint8 && image.bits == 16) sample.ink /= kLevelsOfWords;
  loaded.warn_about(frame, type == SampleType::kFloat32 ? ImageFormat::kExr : ImageFormat::kPng,
                    sample, stats.overlaps);
}

SampleType sample_type_of(const std::string& name) {
  if (name == "uint8") return SampleType::kUint8;
  if (name == "uint16") return SampleType::kUint16;
  if (name == "float32") return SampleType::kFloat32;
  throw Error(ExitCode::kUsage,
              fmt::format("dtype: expected uint8, uint16 or float32, got \"{}\"", name));
}

py::array render(const LoadedScene& loaded, std::optional<std::int64_t> number,
                 const MachineOptions& machine, const std::string& dtype) {
  const SampleType type = sample_type_of(dtype);
  return array_of(without_gil([&] {
    const LoadedScene::Frame frame = loaded.at(number);
    Pixels pixels;
    draw_frame(loaded, frame, machine, type, [&](auto& rasterizer, auto& circles, auto& stats) {
      pixels = draw_pixels(rasterizer, circles, frame.scene->image, type, stats);
    });
    return pixels;
  }));
}

DeviceArray render_on_device(const LoadedScene& loaded, std::optional<std::int64_t> number,
                             MachineOptions machine, const std::string& dtype) {
  if (machine.backend == BackendChoice::kCpu)
    throw Error(ExitCode::kUsage, "device: expected backend \"auto\" or \"cuda\", got \"cpu\"");
  machine.backend = BackendChoice::kCuda;
  const SampleType type = sample_type_of(dtype);
  const int device = machine.raster.device;
  return without_gil([&] {
    const LoadedScene::Frame frame = loaded.at(number);
    const ImageSettings& image = frame.scene->image;
    std::shared_ptr<void> samples;
    draw_frame(loaded, frame, machine, type, [&](auto& rasterizer, auto& circles, auto& stats) {
      samples = draw_pixels_on_device(rasterizer, circles, image, type, stats);
    });
    return DeviceArray({image.width, image.height, image.channels(), type, {}}, std::move(samples),
                       device);
  });
}

py::bytes png(const LoadedScene& loaded, std::optional<std::int64_t> number,
              const MachineOptions& machine) {
  const std::vector<std::uint8_t> file = without_gil([&] {
    const LoadedScene::Frame frame = loaded.at(number);
    const FrameEncoder encoder(*frame.scene, {ImageFormat::kPng});
    FramePixels picture;
    const auto type = frame.scene->image.bits == 16 ? SampleType::kUint16 : SampleType::kUint8;
    draw_frame(loaded, frame, machine, type, [&](auto& rasterizer, auto& circles, auto& stats) {
      rasterizer.draw(circles, frame.scene->image, encoder.target(picture), stats);
    });
    return encoder.encode(picture, frame.number, true);
  });
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

void save(const LoadedScene& loaded, std::optional<std::int64_t> number,
          const MachineOptions& machine, const std::string& path) {
  without_gil([&] {
    const LoadedScene::Frame frame = loaded.at(number);
    check_output_is_no_input(path, input_paths({loaded.get()}), ExitCode::kOutputRefused);
    const NewFolders folder = folder_of_file(path);
    CircleSample sample;
    StageStats stats;
    with_rasterizer(*frame.scene, machine, [&](Rasterizer& rasterizer) {
      sample = render_to_file(*frame.scene, frame.number, rasterizer, path, stats);
    });
    loaded.warn_about(frame, format_of(path), sample, stats.overlaps);
  });
}

/// `list`: as in --frames.
std::unique_ptr<Frames, Frames::Delete> frames(const LoadedScene& loaded, const std::string& list,
                                               const MachineOptions& machine,
                                               const std::string& dtype) {
  const Scene& scene = loaded.get();
  FrameList numbers;
  if (list == "all") {
    if (!scene.animation)
      throw Error(ExitCode::kUsage,
                  "frames: \"all\" needs a scene with \"animation\"; give numbers, as \"0-99\"");
    numbers = run_of_frames(scene.animation->start, scene.animation->frames);
  } else {
    try {
      numbers = parse_frames(list);
    } catch (const Error& error) {
      throw Error(error.exit_code(), std::string("frames: ") + error.what());
    }
  }
  return std::unique_ptr<Frames, Frames::Delete>(
      new Frames(loaded.shared(), std::move(numbers), machine, sample_type_of(dtype)));
}

/// Writes the scene's file and those of its tables; all of them appear together at the end.
void write_scene(const std::string& path, const std::string& text,
                 const std::vector<std::pair<std::string, std::shared_ptr<ColumnTable>>>& tables) {
  without_gil([&] {
    const NewFolders folder = folder_of_file(path);
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (const auto& [file, table] : tables)
      table->write(*files.emplace_back(std::make_unique<AtomicFile>(file)));
    files.emplace_back(std::make_unique<AtomicFile>(path))
        ->write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    for (const auto& file : files) file->commit();
  });
}

std::vector<std::string> keys_of(const ObjectSpec& object) {
  std::vector<std::string> keys;
  for (const Field& field : object.fields) keys.push_back(field.key);
  return keys;
}
std::vector<std::string> scene_keys() {
  return keys_of(std::get<ObjectSpec>(scene_spec().form));
}
std::vector<std::string> layer_keys() {
  for (const Field& field : std::get<ObjectSpec>(scene_spec().form).fields)
    if (const auto* const list = std::get_if<ListSpec>(&field.spec->form))
      return keys_of(std::get<ObjectSpec>(list->item->form));
  return {};
}

/// Returns JSON.
std::string describe(const LoadedScene& loaded, std::optional<std::int64_t> frame) {
  return without_gil([&] { return text_of(description_json(*loaded.at(frame).scene)); });
}

}  // namespace
}  // namespace roundel::python

PYBIND11_MODULE(_core, module) {
  using namespace roundel;          // NOLINT: the module's own function
  using namespace roundel::python;  // NOLINT
  set_up_forks();
  set_up_gil();
  set_up_errors();
  module.attr("version") = ROUNDEL_VERSION;

  module.def("suggested_key", &suggested_key, py::arg("word"), py::arg("known"));
  module.def("scene_keys", &scene_keys);
  module.def("layer_keys", &layer_keys);
  module.attr("min_frame") = kMinFrame;
  module.attr("max_frame") = kMaxFrame;

  py::class_<ColumnTable, std::shared_ptr<ColumnTable>>(module, "Table")
      .def(py::init(&table_of), py::arg("name"), py::arg("columns"));

  py::class_<MachineOptions>(module, "Machine")
      .def(py::init(&machine_of), py::arg("backend"), py::arg("threads"), py::arg("memory"));

  py::class_<LoadedScene>(module, "LoadedScene")
      .def(py::init([](const std::string& text, const std::string& path, const Tables& tables,
                       std::optional<std::pair<int, int>> size, std::optional<std::uint32_t> seed,
                       std::uint64_t memory,
                       const std::vector<std::pair<std::string, std::string>>& vars,
                       std::optional<bool> antialias) {
             return without_gil([&] {
               return std::make_unique<LoadedScene>(
                   text, path, overrides_of(tables, size, seed, memory, vars, antialias));
             });
           }),
           py::arg("text"), py::arg("path"), py::arg("tables"), py::arg("size"), py::arg("seed"),
           py::arg("memory"), py::arg("vars"), py::arg("antialias"))
      .def("render", &render, py::arg("frame"), py::arg("machine"), py::arg("dtype"))
      .def("render_on_device", &render_on_device, py::arg("frame"), py::arg("machine"),
           py::arg("dtype"))
      .def("save", &save, py::arg("frame"), py::arg("machine"), py::arg("path"))
      .def("png", &png, py::arg("frame"), py::arg("machine"))
      .def("frames", &frames, py::arg("list"), py::arg("machine"), py::arg("dtype"))
      .def("circles",
           [](const LoadedScene& loaded, std::optional<std::int64_t> frame, bool all) {
             const auto [scene, number] = without_gil([&] { return loaded.at(frame); });
             return circles(*scene, number, all);
           })
      .def("explain_pixel",
           [](const LoadedScene& loaded, std::optional<std::int64_t> frame, int x, int y,
              std::size_t limit, bool has_lines) {
             const auto [scene, number] = without_gil([&] { return loaded.at(frame); });
             std::unique_ptr<SceneText> text;
             if (has_lines) text = without_gil([&] { return loaded.text(); });
             return explain_pixel(*scene, number, x, y, limit, text.get());
           })
      .def("is_current", &LoadedScene::is_current)
      .def("describe", &describe, py::arg("frame"))
      .def("fingerprint", [](const LoadedScene& loaded, std::optional<std::int64_t> frame) {
        return without_gil([&] { return fingerprint(*loaded.at(frame).scene); });
      });

  py::class_<DeviceArray>(module, "DeviceArray",
                          "A picture [height, width, channels] in a CUDA device's memory, row 0 on "
                          "top, for libraries that take DLPack or the CUDA Array Interface.")
      .def_property_readonly("shape", &DeviceArray::shape)
      .def_property_readonly("dtype",
                             [](const DeviceArray& array) {
                               find_numpy();
                               return py::dtype(array.dtype());
                             })
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::cuda_array_interface)
      .def("__dlpack_device__", &DeviceArray::dlpack_device)
      .def(
          "__dlpack__",
          [](const DeviceArray& array, const py::object& /*stream*/, const py::object& /*version*/,
             const py::object& device,
             const py::object& copy) { return array.dlpack(device, copy); },
          py::kw_only(), py::arg("stream") = py::none(), py::arg("max_version") = py::none(),
          py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("numpy", &DeviceArray::numpy, "A copy in main memory.");

  py::class_<Frames, std::unique_ptr<Frames, Frames::Delete>>(module, "Frames")
      .def("__next__", &Frames::next);

  module.def("diff", [](const py::object& a, const py::object& b, double max_delta,
                        std::optional<double> max_pixels, bool flip, bool ssim, bool align) {
    return diff(a, b, {.max_delta = max_delta, .max_pixels = max_pixels},
                {.flip = flip, .ssim = ssim, .shift = align});
  });
  module.def("from_device", &from_device);
  module.def("check", [](const std::string& text, const std::string& path, const Tables& tables) {
    without_gil([&] { check_scene(text, path, overrides_of(tables, {}, {}, 0, {}, {})); });
  });
  module.def("data_files",
             [](const std::string& text, const std::string& path, const Tables& tables) {
               return without_gil([&] {
                 std::vector<std::string> files;
                 SceneOverrides overrides = overrides_of(tables, {}, {}, 0, {}, {});
                 overrides.on_data_file = [&](const std::string& file) { files.push_back(file); };
                 try {
                   check_scene(text, path, overrides);
                 } catch (const Error&) {  // such as a missing file
                 }
                 return files;
               });
             });
  module.def("tree", &tree_of);
  module.def("read_text", [](const std::string& path) {
    return without_gil([&] { return read_scene_text(path); });
  });
  module.def("write_scene", &write_scene, py::arg("path"), py::arg("text"), py::arg("tables"));
  module.def("machine_info",
             [] { return without_gil([] { return machine_json(cuda_devices()).dump(); }); });
  module.def("picture_info", [](const std::string& path) {
    return without_gil([&] { return text_of(picture_json(path)); });
  });
}
