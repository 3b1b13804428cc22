#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/raster/rasterizer.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/command_line.h"

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
  RasterOptions raster;
};

enum class StatsFormat { kNone, kTable, kJson };

struct RenderOptions {
  std::vector<std::string> scenes;
  std::optional<std::string> output;  ///< file, pattern or folder; default: each scene's own
  bool overwrite = false;             ///< files whose names come from a scene or a folder
  StatsFormat stats = StatsFormat::kNone;
  SceneOptions scene;
  MachineOptions machine;
  Verbosity verbosity = Verbosity::kNormal;
};

struct ValidateOptions {
  std::vector<std::string> scenes;
  SceneOptions scene;
  std::uint64_t memory_budget = 0;  ///< bytes for lists; 0: the renderer's choice
  Verbosity verbosity = Verbosity::kNormal;
};

struct CirclesOptions {
  std::string scene_path;
  std::string output;
  SceneOptions scene;
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
bool parse(const Arguments& arguments, CirclesOptions& options);
bool parse(const Arguments& arguments, InfoOptions& options);
bool parse(const Arguments& arguments, SelftestOptions& options);
bool parse(const Arguments& arguments, BenchOptions& options);
/// The command `schema` has no options of its own.
bool parse_schema(const Arguments& arguments);

}  // namespace roundel
