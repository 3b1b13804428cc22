#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/base/atomic_file.h"
#include "renderer/base/frame_name.h"
#include "renderer/film/existing_frames.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/film/frame_list.h"
#include "renderer/film/video_sink.h"
#include "renderer/frame_encoder.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/progress.h"

namespace roundel {

/// Pictures that earlier rounds of --watch have made. Thread-safe.
class OwnFiles {
 public:
  void add(const std::string& path);
  bool contains(const std::string& path) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> paths_;
};

enum class StatsFormat { kNone, kTable, kJson };

struct RenderOptions {
  std::vector<std::string> scenes;
  std::string each;                   ///< table with a frame in each row; may be empty
  std::optional<std::string> output;  ///< file, pattern or folder; default: each scene's own
  bool overwrite = false;             ///< replace files whose names come from a scene or a folder
  FramesOption frames;
  bool resume = false;       ///< keep the existing frames
  bool watches = false;      ///< draw again when a scene or its data change
  OwnFiles* own = nullptr;   ///< frames of a film with --watch, which it may replace
  bool split_frame = false;  ///< every device draws a band of each frame
  std::optional<Shard> shard;
  std::optional<FrameFormat> format;  ///< default: by the file's extension
  PixelFormat pixels = PixelFormat::kAsScene;
  std::string audio;  ///< sound of a video; may be empty
  std::optional<ExrStorage> exr;
  ProgressFormat progress = ProgressFormat::kAuto;
  StatsFormat stats = StatsFormat::kNone;
  SceneOptions scene;
  MachineOptions machine;
  Verbosity verbosity = Verbosity::kNormal;

  /// True if the pictures go to standard output.
  bool is_stream() const { return output == "-"; }
  /// True if ffmpeg makes one file of them.
  bool is_video() const;
  /// True if export_film() makes them: a sequence, a stream, a video or a frame in bands; else they
  /// are stills.
  bool is_film() const { return is_sequence() || split_frame || is_stream() || is_video(); }
  bool is_sequence() const { return frames.is_given() || !each.empty(); }
  bool has_stream_format() const { return format && format->video != VideoFormat::kNone; }
  /// The format of files that --format asks for; absent for streams of video.
  std::optional<ImageFormat> picture_format() const;
};

/// Reads the command line. Returns false if it asked for help or the version, which has been
/// printed. Throws UsageError with all problems.
bool parse(const Arguments& arguments, RenderOptions& options);

/// The pictures of a scene to make, and their places: a still is a film of one frame.
struct ExportPlan {
  FrameList frames;  ///< this shard
  FrameFormat format;
  FrameName name{""};   ///< unused for a stream
  std::string pattern;  ///< the name's, with ####; unused for a stream and a video
  PixelFormat pixels = PixelFormat::kAsScene;
  std::int64_t step = 1;  ///< from each frame of --frames to the next, if it is constant

  /// Path of a still.
  std::string path() const { return name.path(frames.front()); }
};

/// Throws Error for an impossible export: several frames with one name, an unknown extension, a
/// frame that does not fit in memory.
ExportPlan plan_export(const Scene& scene, const RenderOptions& options);

/// Returns "10 more files match out/f_####.png: 20-29" for a film's files, see leftovers_line().
/// Empty if there are none, or if the frames are a shard of the film.
std::string leftovers_of(const ExportPlan& plan, const Scene& scene, const RenderOptions& options);

/// Returns how many of `frames` frames the CPU, or each device, draws at once. The CPU draws
/// `threads` frames with one thread each, which is faster than sharing frames; or one by all
/// threads, if that many do not fit in `budget` (0: half of the memory) or are too few for all
/// threads. A device draws several, to stay busy during transfers; or one, if frames are too large
/// to share its memory.
int frames_at_once(const Scene& scene, const ExportPlan& plan, Backend backend, std::size_t frames,
                   int threads, std::uint64_t budget);

/// Checks the existing files, removes leftovers of killed runs and makes missing folders. Throws
/// Error(kOutputRefused), before any change, for a read-only folder, a frame that would replace an
/// input and, without --overwrite, existing files; with --resume only foreign or unreadable ones.
struct FramesToMake {
  FrameList frames;      ///< still to be made
  std::size_t kept = 0;  ///< existing valid frames
  FrameList taken;       ///< frames whose names are taken
  NewFolders folders;
};
FramesToMake frames_to_make(const ExportPlan& plan, const Scene& scene,
                            const RenderOptions& options);
/// Like frames_to_make(), for the file of a video.
FramesToMake video_to_make(const ExportPlan& plan, const Scene& scene,
                           const RenderOptions& options);
/// Removes the temporary files that killed exports have left in the frames' folders.
void remove_leftovers(const ExportPlan& plan);

/// Returns the origin of the plan's frames. Keeps a reference to the scene.
ExpectedOrigin origin_of(const ExportPlan& plan, const Scene& scene);

/// With --resume, after claiming a frame: returns true if another export has made it since
/// frames_to_make(). Throws Error(kOutputRefused) for a file that must not be replaced.
bool is_made(const ExportPlan& plan, const ExpectedOrigin& origin, const RenderOptions& options,
             std::int64_t frame);

struct ExportReport {
  const Scene& scene;
  std::string output;          ///< a still's file; a film's as on the command line
  std::string backend;         ///< cpu or cuda
  const ExportResult& result;  ///< for a still: stages, and seconds until it was on disk
  std::optional<std::int64_t> still = {};
  std::size_t rasterizers = 1;  ///< devices, or 1
  std::size_t kept = 0;         ///< existing frames
  std::size_t replaced = 0;     ///< frames made whose names were taken
};

/// Returns "rand10k.png  1024x1024  10,000 circles  23 ms  cpu", or "out/snow_####.png  1024x1024
/// 300 frames  12.3 s  24.4 fps  370.1 MB  cpu".
std::string summary_line(const ExportReport& report);
/// Returns the stages with milliseconds and bytes. For a still adds their share of the time, and
/// circles, overlaps and chunks below; for a film sums over all frames and threads, with the mean
/// number at work at once.
Lines stats_table(const ExportReport& report);
/// Returns stats_table() as one JSON object on one line.
std::string stats_json(const ExportReport& report);
/// Prints the parts that the options ask for. Calls `warn` if warnings are wanted.
void print_report(const ExportReport& report, const RenderOptions& options,
                  const std::function<void()>& warn);

/// Renders a sequence of frames of one scene into files, or a stream to standard output. Returns
/// the exit code; throws Error for problems before the first frame.
int export_film(const RenderOptions& options);

/// Calls `draw`, and again whenever a file of the scenes changes, until a signal ends the process.
/// Prints the errors that it throws. `draw` gets the options to read scenes with.
[[noreturn]] void watch(RenderOptions options,
                        const std::function<void(const RenderOptions&)>& draw);
/// A round of --watch: exports the frames of a film that are missing or have changed. Returns the
/// exit code after a signal, else 0.
int draw_changes(const RenderOptions& options, OwnFiles& own);

}  // namespace roundel
