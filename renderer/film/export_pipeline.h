#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/stage_stats.h"
#include "renderer/film/frame_list.h"
#include "renderer/film/frame_sink.h"
#include "renderer/frame_encoder.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

struct ExportCounts {
  std::uint64_t written = 0, failed = 0;  ///< frames
  std::uint64_t bytes = 0;                ///< written
  std::size_t drawn_ahead = 0;            ///< pictures to encode or to write
  std::uint64_t kept = 0;                 ///< frames that another process made

  ExportCounts& operator+=(const ExportCounts& other);
};

struct ExportLimits {
  std::size_t draw = 1, encode = 1, write = 1;  ///< threads of each stage; one thread generates
  std::size_t write_first = 1;                  ///< always active; the others help with a backlog
  std::size_t frames = 1;                       ///< generated and not yet written
  std::size_t ahead = 0;                        ///< frames of these that wait to be drawn
};

/// Input of an export. All references must outlive it.
struct ExportJob {
  const Scene& scene;
  FrameSource& frames;
  const FrameEncoder& encoder;
  FrameSink& sink;
  /// One or more; each has its own thread. All draw from one queue.
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  int encoders = 0;  ///< pictures encoded at once; 0: one per core
  std::uint64_t memory_budget =
      0;  ///< bytes for pictures in flight; 0: a share of the available memory
  /// Called for each written frame, from several threads at once.
  std::function<void(std::int64_t frame, std::uint64_t bytes)> on_written = [](auto, auto) {};
  /// Called by one thread with each frame that has its own scene, before it is drawn.
  std::function<void(std::int64_t frame, const Scene& scene, const CircleStream& circles)>
      on_scene = [](auto, auto&, auto&) {};
  /// Called regularly by the waiting thread. If false, no further frame is drawn; drawn pictures
  /// are still written.
  std::function<bool(const ExportCounts& counts)> goes_on = [](auto&) { return true; };
  double tick_seconds = 0.1;  ///< between these calls
};

struct FailedFrame {
  std::int64_t frame;
  ExitCode exit_code;
  std::string message;
};

struct ExportResult {
  FrameList written;                ///< ascending
  FrameList kept = {};              ///< made by another process, ascending
  std::vector<FailedFrame> failed;  ///< in order of failure
  bool has_given_up = false;        ///< too many consecutive failures
  std::optional<Error> error;       ///< why generating stopped, unless because of these failures
  std::uint64_t bytes = 0;          ///< written
  StageStats stages;                ///< sums over all frames and threads
  double seconds = 0;               ///< wall time
  double processor_seconds = 0;     ///< CPU time
  ExportLimits limits;

  ExportCounts counts() const { return {written.size(), failed.size(), bytes, 0, kept.size()}; }
  /// Adds the result of another rank, except times and limits.
  void add(ExportResult part);
};

/// True if all rasterizers make circles from recipes.
bool all_make_circles(const ExportJob& job);
/// `budget`: bytes for frames in flight. `have_recipes`: the rasterizers make the circles.
ExportLimits export_limits(const ExportJob& job, std::size_t encoders, std::uint64_t budget,
                           bool have_recipes);

/// Makes the frames of a sequence. Its stages overlap:
///
///   frames ─1 thread: generate─► circles ─1 thread a rasterizer: draw─► pictures
///          ─tasks on all cores: encode─► bytes ─a few threads: write─► sink
///
/// One simulation steps through the frames and feeds all rasterizers, since each of several would
/// repeat all steps. The number of frames in flight is fixed, which bounds memory. When all of them
/// wait for an encoder, rasterizer threads encode too.
///
/// A frame like the previous one reuses its picture. A frame fails if its own data or scene cannot
/// be read, or if it cannot be encoded or written; the others go on until many fail in a row. A
/// failed rasterizer is dropped and its frame goes to another one. Frames that were handed out but
/// not written are given back to `frames`, which is closed first. Throws what `goes_on` throws,
/// after all threads have ended.
ExportResult export_frames(ExportJob job);

}  // namespace roundel
