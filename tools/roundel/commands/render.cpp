#include "renderer/render.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/sequence/frame_name.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/cli/surprises.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/export/export.h"
#include "tools/roundel/export/stats_report.h"

namespace roundel {
namespace {

/// One picture to make.
struct Job {
  const Scene& scene;
  std::int64_t frame;
  std::string path;
  ImageFormat format;
};

/// Where the picture of a scene goes, and whether a file there may be replaced. `inputs`: files
/// that may not.
Job plan_job(const Scene& scene, const RenderOptions& options,
             const std::vector<std::string>& inputs) {
  const std::int64_t frame = options.scene.frame.value_or(scene.default_frame());
  if (!options.output && !scene.output) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected -o FILE, as the scene has no \"output\"", scene.path));
  }
  const bool into_folder = options.output && names_folder(*options.output);
  const ImageFormat format = picture_format(scene, options.output, asked_format(options));
  const std::string path =
      into_folder ? picture_in_folder(*options.output, scene.path, format)
                  : FrameName(options.output ? *options.output : *scene.output).path(frame);
  check_feasible(scene, format, options.machine.raster.memory_budget);
  const bool named_by_hand = options.output && !into_folder;
  check_writable(path, named_by_hand || options.overwrite);
  check_replaces_no_input(path, inputs, ExitCode::kOutputRefused);
  return {scene, frame, path, format};
}

bool has_data(const Scene& scene) {
  return std::any_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
    return std::holds_alternative<DataSource>(layer.source);
  });
}

std::vector<Job> plan_jobs(const std::vector<Scene>& scenes, const RenderOptions& options,
                           Problems& problems) {
  std::vector<Job> jobs;
  std::map<std::string, std::string> writers;  // scene by picture
  const std::vector<std::string> inputs = files_read(scenes);
  for (const Scene& scene : scenes) {
    problems.attempt([&] {
      Job job = plan_job(scene, options, inputs);
      const auto [other, is_new] = writers.emplace(behind_links(job.path), scene.path);
      if (!is_new) {
        throw Error(ExitCode::kUsage, fmt::format("{} and {} would both be written to {}",
                                                  other->second, scene.path, job.path));
      }
      if (scenes.size() > 1 && has_data(scene)) {  // values are checked as they are read
        Circles unused;
        CircleSource(scene).generate(job.frame, unused);
      }
      jobs.push_back(std::move(job));
    });
  }
  return jobs;
}

void render_job(const Job& job, Rasterizer& rasterizer, const std::string& backend,
                const RenderOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  FrameReport report{job.scene, job.frame, job.path, backend, 0, {}};
  const CircleSample sample =
      render_to_file(job.scene, job.frame, rasterizer, job.path, report.stats, job.format);
  report.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (options.verbosity != Verbosity::kQuiet) {
    print_err(summary_line(report));
    warn(job.scene, surprises(job.scene, job.format, sample));
    warn(job.scene, {nothing_to_see(job.scene, job.frame, report.stats.overlaps)});
  }
  if (options.stats == StatsFormat::kTable) print_err(stats_table(report));
  if (options.stats == StatsFormat::kJson) print_out(stats_json(report));
}

}  // namespace

int run_render(const Arguments& arguments) {
  RenderOptions options;
  if (!parse(arguments, options)) return 0;
  set_log_level(options.verbosity);
  if (is_sequence(options)) return run_export(options);
  give_back_freed_blocks();
  const ThreadLimit thread_limit(options.machine.raster.threads);

  Problems problems;
  const std::vector<Scene> scenes = load_scenes(options.scenes, options.scene.overrides, problems);
  const std::vector<Job> jobs = plan_jobs(scenes, options, problems);
  if (!problems.empty()) return static_cast<int>(problems.exit_code());

  PictureWork work = 0;
  for (const Job& job : jobs) work += work_of(job.scene);
  const ChosenBackend chosen = choose_backend(options.machine, work);
  spdlog::debug("backend {}: {}", backend_name(chosen.backend), chosen.reason);
  const std::unique_ptr<Rasterizer> rasterizer =
      make_rasterizer(chosen.backend, options.machine.raster);
  std::vector<std::string> paths;
  paths.reserve(jobs.size());
  for (const Job& job : jobs) paths.push_back(job.path);
  const std::vector<NewFolder> folders = make_folders_of(paths);
  for (const Job& job : jobs) {
    problems.attempt([&] { render_job(job, *rasterizer, backend_name(chosen.backend), options); });
  }
  const bool some_failed = !problems.empty() && problems.count() < jobs.size();
  return static_cast<int>(some_failed ? ExitCode::kSomeFramesFailed : problems.exit_code());
}

}  // namespace roundel
