#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/atomic_file.h"
#include "renderer/base/frame_name.h"
#include "renderer/film/existing_frames.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/film/frame_list.h"
#include "renderer/frame_encoder.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/progress.h"

namespace roundel {

enum class StatsFormat { kNone, kTable, kJson };

/// What `roundel render` is asked to do.
struct RenderOptions {
  std::vector<std::string> scenes;
  std::string each;                   ///< table of which each row is a frame; may be empty
  std::optional<std::string> output;  ///< file, pattern or folder; default: each scene's own
  bool overwrite = false;             ///< files whose names come from a scene or a folder
  FramesOption frames;
  bool resume = false;       ///< keep the frames that are there already
  bool watches = false;      ///< draw again when a scene or its data change
  bool split_frame = false;  ///< every device draws a band of each frame
  std::optional<Shard> shard;
  std::optional<FrameFormat> format;  ///< default: that of the file's ending
  PixelFormat pixels = PixelFormat::kAsScene;
  ProgressFormat progress = ProgressFormat::kAuto;
  StatsFormat stats = StatsFormat::kNone;
  SceneOptions scene;
  MachineOptions machine;
  Verbosity verbosity = Verbosity::kNormal;

  /// True when the pictures go to standard output.
  bool is_stream() const { return output == "-"; }
  /// True for what export_film() makes: a sequence, a stream or a frame in bands; else there are
  /// stills.
  bool is_film() const { return is_sequence() || split_frame || is_stream(); }
  bool is_sequence() const { return frames.is_given() || !each.empty(); }
  bool is_video() const { return format && format->video != VideoFormat::kNone; }
  /// The format of files that --format asks for; none for streams of video.
  std::optional<ImageFormat> picture_format() const;
};

/// Reads the command line. False when it asked for help or the version, which has been printed.
/// Throws UsageError with every problem found.
bool parse(const Arguments& arguments, RenderOptions& options);

/// What is to be made of a scene, and where: a still is a film of one frame.
struct ExportPlan {
  FrameList frames;  ///< of this shard
  FrameFormat format;
  FrameName name{""};     ///< unused for a stream
  std::string pattern;    ///< of the name, with ####; unused for a stream
  std::int64_t step = 1;  ///< from each frame of --frames to the next, where that is the same

  /// Of a still.
  std::string path() const { return name.path(frames.front()); }
};

/// Throws Error for what cannot be done: several frames into one name, an unknown ending, a frame
/// that does not fit into memory.
ExportPlan plan_export(const Scene& scene, const RenderOptions& options);

/// "10 more files match out/f_####.png: 20-29" of a film's files, see leftovers_line(). Empty where
/// there are none, and where the frames are a shard of the film.
std::string leftovers_of(const ExportPlan& plan, const Scene& scene, const RenderOptions& options);

/// How many of `frames` frames the CPU, or each device, draws at once. The CPU as many as
/// `threads`, with one thread each, since that wastes less than sharing each frame between the
/// threads; or one, by all threads together, where so many do not fit into `budget` (0: half of the
/// memory), or are too few for every thread to have some. A device some, so that it draws one while
/// others go over the bus; or one, where frames are so large that they should not share its memory.
int frames_at_once(const Scene& scene, const ExportPlan& plan, Backend backend, std::size_t frames,
                   int threads, std::uint64_t budget);

/// Decides about the files that are there, removes leftovers of killed runs and makes missing
/// folders. Throws Error(kOutputRefused), with nothing touched, for a folder that cannot be written
/// to, for a frame that would replace a file that is read and, without --overwrite, for files that
/// are there already; with --resume only for those that are foreign or cannot be judged.
struct FramesToMake {
  FrameList frames;      ///< still to be made
  std::size_t kept = 0;  ///< frames that are there and right
  FrameList taken;       ///< those of `frames` whose names are taken
  NewFolders folders;    ///< made for them
};
FramesToMake frames_to_make(const ExportPlan& plan, const Scene& scene,
                            const RenderOptions& options);
/// Removes the temporary files that killed exports have left where the frames go.
void remove_leftovers(const ExportPlan& plan);

/// With --resume, once a frame is claimed from other exports into the same folder: whether one of
/// them has made it since frames_to_make(). Throws Error(kOutputRefused) for a file that must not
/// be replaced.
bool is_made(const ExportPlan& plan, const ExpectedOrigin& origin, const RenderOptions& options,
             std::int64_t frame);

/// A still, or a film, that was made.
struct ExportReport {
  const Scene& scene;
  std::string output;                      ///< a still's file; a film's as on the command line
  std::string backend;                     ///< cpu or cuda
  const ExportResult& result;              ///< of a still: stages, and seconds until it was on disk
  std::optional<std::int64_t> still = {};  ///< a still's frame
  std::size_t rasterizers = 1;             ///< devices, or 1
  std::size_t kept = 0;                    ///< frames that were there already
  std::size_t replaced = 0;                ///< of those made, the ones whose names were taken
};

/// "rand10k.png  1024x1024  10,000 circles  23 ms  cpu", or
/// "out/snow_####.png  1024x1024  300 frames  12.3 s  24.4 fps  370.1 MB  cpu"
std::string summary_line(const ExportReport& report);
/// The stages with milliseconds and bytes. Of a still their share of the time, and circles,
/// overlaps and chunks below; of a film sums over all frames and threads, and how many of these
/// were at work at once.
Lines stats_table(const ExportReport& report);
/// The same as one JSON object on one line.
std::string stats_json(const ExportReport& report);
/// Prints of these what the options ask for. `warn` is called where warnings are wanted.
void print_report(const ExportReport& report, const RenderOptions& options,
                  const std::function<void()>& warn);

/// Renders a sequence of frames of one scene into files, or a stream to standard output. Returns
/// the exit code; throws Error for what is wrong before the first frame.
int export_film(const RenderOptions& options);

}  // namespace roundel
