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

/// Where an export stands.
struct ExportCounts {
  std::uint64_t written = 0, failed = 0;  ///< frames
  std::uint64_t bytes = 0;                ///< written
  std::size_t drawn_ahead = 0;            ///< pictures that wait for an encoder or to be written
  std::uint64_t kept = 0;                 ///< frames that another process made meanwhile

  ExportCounts& operator+=(const ExportCounts& other);
};

/// How much of an export is done at once, at most.
struct ExportLimits {
  std::size_t draw = 1, encode = 1, write = 1;  ///< threads that do so; one generates
  std::size_t write_first = 1;                  ///< of these; the others help where files wait
  std::size_t frames = 1;                       ///< generated and not yet written
  std::size_t ahead = 0;                        ///< of these, generated before they can be drawn
};

/// What an export works with. All references must outlive it.
struct ExportJob {
  const Scene& scene;
  FrameSource& frames;
  const FrameEncoder& encoder;
  FrameSink& sink;
  /// At least one; each is used by a thread of its own, all draw from one queue of frames.
  std::vector<std::unique_ptr<Rasterizer>> rasterizers;
  int encoders = 0;  ///< pictures encoded at once; 0: one a core
  std::uint64_t memory_budget =
      0;  ///< bytes for pictures on their way; 0: a share of what there is
  /// Called after each frame that was written, from several threads at once.
  std::function<void(std::int64_t frame, std::uint64_t bytes)> on_written = [](auto, auto) {};
  /// Called before each frame that has a scene of its own is drawn, with its circles, by one
  /// thread.
  std::function<void(std::int64_t frame, const Scene& scene, const CircleStream& circles)>
      on_scene = [](auto, auto&, auto&) {};
  /// Called every now and then, by the thread that waits for the end. Where it returns false no
  /// further frame is drawn; pictures already drawn are encoded and written.
  std::function<bool(const ExportCounts& counts)> goes_on = [](auto&) { return true; };
  double tick_seconds = 0.1;  ///< between these calls
};

struct FailedFrame {
  std::int64_t frame;
  ExitCode exit_code;
  std::string message;
};

/// What an export did.
struct ExportResult {
  FrameList written;                ///< rising
  FrameList kept = {};              ///< that another process made meanwhile, rising
  std::vector<FailedFrame> failed;  ///< in the order in which they failed
  bool gave_up = false;             ///< too many failures one after the other
  std::optional<Error> error;       ///< why there are no further frames, if not for these
  std::uint64_t bytes = 0;          ///< written
  StageStats stages;                ///< sums over all frames and threads
  double seconds = 0;               ///< in all
  double processor_seconds = 0;     ///< processor time of all the process's threads in these
  ExportLimits limits;

  ExportCounts counts() const { return {written.size(), failed.size(), bytes, 0, kept.size()}; }
  /// Adds what another rank has done; its times and limits do not count.
  void add(ExportResult part);
};

/// True where all rasterizers make circles of recipes.
bool all_make_circles(const ExportJob& job);
/// What an export with so many threads that encode does at once. `budget`: bytes for what is on its
/// way. `have_recipes`: rasterizers make the circles.
ExportLimits export_limits(const ExportJob& job, std::size_t encoders, std::uint64_t budget,
                           bool have_recipes);

/// Makes the frames of a sequence. Its stages overlap:
///
///   frames ─1 thread: generate─► circles ─1 thread a rasterizer: draw─► pictures
///          ─tasks on all cores: encode─► bytes ─a few threads: write─► sink
///
/// One simulation steps through the frames and feeds all rasterizers: stepping is cheap when it
/// goes forward, and would cost the same again in each of them. A fixed number of frames is on its
/// way at once, which bounds memory. When all of these wait for an encoder, the threads of the
/// rasterizers encode too.
///
/// A frame like the previous one takes its picture. A frame whose own data or scene cannot be read,
/// or that cannot be encoded or written, has failed, and the others go on, until many fail one
/// after the other. A rasterizer that fails is given up and its frame goes to another one. Frames
/// that were handed out and are not written are given back to `frames`, closed before that. Throws
/// what `goes_on` throws, after everything has come to its end.
ExportResult export_frames(ExportJob job);

}  // namespace roundel
