#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/explain/heat_map.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/load_scene.h"
#include "renderer/sequence/frame_encoder.h"
#include "renderer/sequence/frame_list.h"
#include "renderer/sequence/shard.h"
#include "tools/roundel/cli/command_line.h"

namespace roundel {

/// Logs and progress on stderr.
enum class Verbosity { kQuiet, kNormal, kVerbose };

/// What the command line says instead of the scene files.
struct SceneOptions {
  SceneOverrides overrides;
  std::optional<std::int64_t> frame;  ///< default: the scene's first
};

enum class BackendChoice { kAuto, kCpu, kCuda };

/// What draws. Changes no bit of any picture.
struct MachineOptions {
  BackendChoice backend = BackendChoice::kAuto;
  std::vector<int> devices;  ///< CUDA devices; empty: all for a sequence, else the first
  RasterOptions raster;
};

enum class StatsFormat { kNone, kTable, kJson };

enum class ProgressFormat {
  kAuto,      ///< a bar on a terminal, else plain
  kNone,      ///< nothing
  kBar,       ///< one line that is overwritten
  kPlain,     ///< a line every few seconds
  kJson,      ///< an object a line
  kOpenJd,    ///< "openjd_progress: 42.0"
  kDeadline,  ///< "Progress: 42%"
  kBlender,   ///< "Fra:7 …" and "Saved: 'PATH'" for every frame
};

/// A sequence of frames of one scene.
struct SequenceOptions {
  std::optional<FrameList> frames;
  std::string list_file;     ///< that `frames` were read from; may be empty
  bool all_frames = false;   ///< those of the scene's animation
  bool resume = false;       ///< keep the frames that are there already
  bool split_frame = false;  ///< every device, or rank, draws a band of each frame
  std::optional<Shard> shard;
  std::optional<FrameFormat> format;  ///< default: that of the file's ending
  PixelFormat pixels = PixelFormat::kAsScene;
  ProgressFormat progress = ProgressFormat::kAuto;
};

struct RenderOptions {
  std::vector<std::string> scenes;
  std::optional<std::string> output;  ///< file, pattern or folder; default: each scene's own
  bool overwrite = false;             ///< files whose names come from a scene or a folder
  StatsFormat stats = StatsFormat::kNone;
  SequenceOptions sequence;
  SceneOptions scene;
  MachineOptions machine;
  Verbosity verbosity = Verbosity::kNormal;
};

struct ValidateOptions {
  std::vector<std::string> scenes;
  std::optional<ImageFormat> format;  ///< default: the scene's own output, else PNG
  SceneOptions scene;
  MachineOptions machine;
  Verbosity verbosity = Verbosity::kNormal;
};

struct VerifyOptions {
  std::string pattern;
  std::optional<std::string> scene_path;  ///< without one the frames are compared with each other
  std::optional<FrameList> frames;
  bool all_frames = false;
  int threads = 0;
  SceneOptions scene;
  Verbosity verbosity = Verbosity::kNormal;
};

struct CirclesOptions {
  std::string scene_path;
  std::string output;
  SceneOptions scene;
};

struct ExplainOptions {
  struct PixelPlace {
    int x = 0, y = 0;  ///< y is counted from the top
  };
  std::string scene_path;
  std::optional<PixelPlace> pixel;      ///< either this
  std::size_t limit = 1000;             ///< circles listed at most
  std::optional<HeatMapKind> heat_map;  ///< or this
  std::string output;                   ///< picture of the heat map
  bool json = false;
  SceneOptions scene;
  int threads = 0;
  std::uint64_t memory_budget = 0;  ///< bytes for lists; 0: the renderer's choice
  Verbosity verbosity = Verbosity::kNormal;
};

struct InfoOptions {
  std::vector<std::string> files;
  bool json = false;
};

struct SelftestOptions {
  BackendChoice backend = BackendChoice::kAuto;
  int threads = 0;  ///< one more number of CPU threads to try; 0: one a core
  Verbosity verbosity = Verbosity::kNormal;
};

struct BenchOptions {
  std::vector<std::string> scenes;  ///< empty: the classic ones
  SceneOptions scene;
  MachineOptions machine;
  int repeats = 20;
  std::optional<std::string> json;  ///< file, or "-" for stdout
  Verbosity verbosity = Verbosity::kNormal;
};

/// Each reads one command's command line. False when it asked for help or the version, which has
/// been printed. Throws Error(kUsage) with every problem found, one a line.
bool parse(const Arguments& arguments, RenderOptions& options);
bool parse(const Arguments& arguments, ValidateOptions& options);
bool parse(const Arguments& arguments, VerifyOptions& options);
bool parse(const Arguments& arguments, CirclesOptions& options);
bool parse(const Arguments& arguments, ExplainOptions& options);
bool parse(const Arguments& arguments, InfoOptions& options);
bool parse(const Arguments& arguments, SelftestOptions& options);
bool parse(const Arguments& arguments, BenchOptions& options);

/// True when the pictures go to standard output.
inline bool is_stream(const RenderOptions& options) {
  return options.output == "-";
}
/// True for what run_export does: a sequence, a stream or a frame in bands.
inline bool is_sequence(const RenderOptions& options) {
  const SequenceOptions& sequence = options.sequence;
  return sequence.frames || sequence.all_frames || sequence.split_frame || is_stream(options);
}

/// The format of files that --format asks for; none for streams of video.
std::optional<ImageFormat> asked_format(const RenderOptions& options);

/// The command `schema` has no options of its own.
bool parse_schema(const Arguments& arguments);

}  // namespace roundel
