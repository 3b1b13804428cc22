#include <tbb/task_arena.h>

#include "renderer/base/atomic_file.h"
#include "renderer/circles/generate.h"
#include "renderer/machine_options.h"
#include "renderer/raster/device_memory.h"
#include "renderer/render.h"
#include "renderer/scene/input_files.h"
// The interface's types come after the library's.
#include "renderer/api/inner.h"

namespace roundel {
inline namespace v0 {

struct Renderer::State {
  MachineOptions machine;
  std::unique_ptr<Rasterizer> rasterizer;  ///< draws on `backend`
  inner::Backend backend = inner::Backend::kCpu;
  /// The last scene and the source of its circles, from which a simulation's next frame follows
  /// quickly.
  std::shared_ptr<const Access::SceneState> scene;
  std::optional<FilmSource> film;
  Circles circles;

  inner::Backend backend_for(const inner::Scene& drawn) const {
    if (machine.backend != BackendChoice::kAuto) return find_backend(machine).backend;
    return find_backend(machine, drawing_cost(drawn)).backend;
  }

  /// Calls work() with the requested number of threads, and drops the rasterizer if it fails.
  template <typename Work>
  void with_threads(const Work& work) {
    try {
      if (machine.raster.threads > 0)
        tbb::task_arena(machine.raster.threads).execute(work);
      else
        work();
    } catch (...) {
      film.reset();
      rasterizer.reset();
      throw;
    }
  }

  /// Calls draw(rasterizer).
  template <typename Draw>
  void with_rasterizer(const inner::Scene& drawn, const Draw& draw) {
    const inner::Backend wanted = backend_for(drawn);
    const auto draw_on_it = [&] {
      if (!rasterizer || backend != wanted) rasterizer = make_rasterizer(wanted, machine.raster);
      backend = wanted;
      draw(*rasterizer);
    };
    // Querying a thread's device would already start CUDA.
    if (wanted == inner::Backend::kCuda)
      preserve_device(draw_on_it);
    else
      draw_on_it();
  }
};

Renderer::Renderer(const RenderOptions& options) : state_(std::make_unique<State>()) {
  constexpr int kMaxThreads = 1024, kMaxDevice = 255;
  const int backend = static_cast<int>(options.backend);
  check(backend >= 0 && backend <= 2, "backend", "kAuto, kCpu or kCuda", backend);
  check_range("threads", options.threads, 0, kMaxThreads);
  MachineOptions& machine = state_->machine;
  machine.backend = static_cast<BackendChoice>(options.backend);
  if (options.device) {
    check_range("device", *options.device, 0, kMaxDevice);
    check(options.backend != Backend::kCpu, "device", "the backend kAuto or kCuda", "kCpu");
    machine.devices = {*options.device};
    machine.raster.device = *options.device;
  }
  machine.raster.threads = threads_in_host(options.threads);
  machine.raster.memory_budget = checked_memory(options.memory);
}

Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

Backend Renderer::backend(const Scene& scene) const {
  return inner::guarded([&] {
    const bool is_cpu = state_->backend_for(Access::state(scene)->scene) == inner::Backend::kCpu;
    return is_cpu ? Backend::kCpu : Backend::kCuda;
  });
}

Picture Renderer::render(const Scene& scene, std::optional<std::int64_t> frame, Samples type) {
  return inner::guarded([&] {
    const std::int64_t number = number_of(scene, frame);
    const int kind = static_cast<int>(type);
    check(kind >= 0 && kind <= 2, "type", "kUint8, kUint16 or kFloat32", kind);
    Pixels pixels;
    state_->with_threads([&] {
      if (!state_->film || state_->scene != Access::state(scene)) {
        state_->film.reset();
        state_->scene = Access::state(scene);
        state_->film.emplace(state_->scene->scene);
      }
      const FilmSource::Frame at = state_->film->at(number);
      state_->with_rasterizer(*at.scene, [&](Rasterizer& rasterizer) {
        StageStats stats;
        pixels = draw_pixels(rasterizer, at.circles->at(number, state_->circles, &stats),
                             at.scene->image, static_cast<SampleType>(type), stats);
      });
    });
    return Access::value<Picture>({std::move(pixels)});
  });
}

void Renderer::save(const Scene& scene, const std::string& path,
                    std::optional<std::int64_t> frame) {
  inner::guarded([&] {
    const auto [at, number] = frame_of(scene, frame);
    format_of(path);  // throws for others
    check_output_is_no_input(path, input_paths({*at}), ExitCode::kOutputRefused);
    const NewFolders folder = folder_of_file(path);
    state_->with_threads([&, &drawn = *at, n = number] {
      state_->with_rasterizer(drawn, [&](Rasterizer& rasterizer) {
        StageStats stats;
        render_to_file(drawn, n, rasterizer, path, stats);
      });
    });
  });
}

}  // namespace v0
}  // namespace roundel
