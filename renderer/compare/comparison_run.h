#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/difference_regions.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/picture_difference.h"

namespace roundel {

enum class PairState {
  kSame,         ///< within the tolerance
  kDiffers,      ///< beyond the tolerance, or another shape
  kNew,          ///< without a golden
  kMissing,      ///< only a golden exists
  kNotCompared,  ///< a picture could not be read or made
};

/// Cause of a difference, from the fingerprints in the pictures.
enum class Origin {
  kUnknown,       ///< without two fingerprints
  kSameScene,     ///< same scene and frame: the renderer changed
  kSceneChanged,  ///< the golden is of another scene
  kOtherFrame,    ///< … of another frame of this scene
};

/// Regions of differing pixels, the first of difference_regions().
struct Places {
  std::size_t count = 0;
  std::vector<DifferenceRegion> first;
};

/// A golden and the picture compared with it.
struct PairResult {
  std::string name;  ///< path in both folders, with '/'
  PairState state = PairState::kSame;
  Origin origin = Origin::kUnknown;
  std::string golden_path, actual_path;  ///< a kNew one may have the golden of its old name
  std::string difference_path;           ///< image of the differences; empty: none
  std::string scene_path;                ///< file of the drawn scene
  double seconds = 0;                    ///< for drawing and comparing
  std::string rule;                      ///< name of the GoldenRule
  Tolerance tolerance;                   ///< the rule's
  double pixels_per_degree = kDefaultPixelsPerDegree;  ///< for ꟻLIP
  PictureDifference difference;                        ///< set for kSame and kDiffers
  /// Largest number of places that Measures keeps for the report, which then decodes no small PNG
  /// again.
  std::optional<Places> places;
  std::vector<std::string> reasons;      ///< exceeded limits, or why nothing was compared
  std::vector<std::string> explanation;  ///< causes in the scene, as lines
  std::uint32_t scene_line = 0;          ///< first changed line of the scene's file; 0: unknown
};

/// All pairs, by name.
struct ComparisonRun {
  std::string title;  ///< "goldens and actual"
  std::vector<PairResult> results;
  /// Files in two folders that are not pictures, except manifest and lock.
  std::size_t ignored_files = 0;
  std::string golden_folder;
  std::size_t not_accepted = 0;  ///< pictures that accept would refuse, which are not kept
  std::string output_folder;     ///< folder for accept; may be empty
  std::vector<std::string> kept_rows_before;  ///< an earlier run's pictures in output_folder
  bool is_part = false;       ///< one scene, to which other goldens and rules mean nothing
  int share = 0, shares = 0;  ///< number (from 1) of shares; 0: not shared
  /// Command to accept a picture, without its name; empty: not possible.
  std::string accept_command;
};

/// True if the run's accept_command finds this picture.
bool can_accept(const ComparisonRun& run, const PairResult& result);
/// Returns the command to accept these pictures, quoted for a shell.
std::string command_to_accept(const ComparisonRun& run, const std::vector<std::string>& names);

struct RunCounts {
  std::size_t same = 0, differ = 0, added = 0, missing = 0, not_compared = 0;
  std::size_t ignored_files = 0;
  std::size_t all() const { return same + differ + added + missing + not_compared; }
};
RunCounts count_states(const ComparisonRun& run);

/// "same", "differs", "new", "missing", "not compared"
const char* state_name(PairState state);
/// "18 pictures: 15 same, 2 differ, 1 new; 3 other files passed over"
std::string counts_text(const RunCounts& counts);

/// "the renderer changed: …"; empty for kUnknown.
std::string origin_text(Origin origin);
Origin origin_of(const std::optional<ImageMetadata>& golden,
                 const std::optional<ImageMetadata>& actual);

/// True for equal pixels whose golden lacks the fingerprint of this scene and frame, which storing
/// it again would add.
bool lacks_fingerprint(const PairResult& result);

/// `snow.png: differs: 12 pixels differ, at most 0 may; the scene changed … [goldens.yaml:4
/// "snow*"]`
std::string result_line(const PairResult& result);

/// Compares by the rule for `result.name` and fills in the other fields. Measures ꟻLIP and SSIM
/// only for pictures that differ, unless the rule needs them.
void compare_pair(const Picture& golden, const Picture& actual, const GoldenRules& rules,
                  const Measures& measures, PairResult& result);
/// Takes memory from `budget`. An unreadable file is a result, too.
void compare_pair_of_files(const GoldenRules& rules, const Measures& measures, PairResult& result,
                           MemoryBudget& budget);

/// Pairs the pictures of two folders (.png, .exr, .pfm, .jpg, .jpeg, .webp) by relative path and
/// compares them, on all cores, within half of the machine's memory. Counts other files, and links
/// to folders. An unreadable picture is a result, too. Throws Error(kInvalidScene) "PATH: …" for an
/// unreadable folder.
ComparisonRun compare_folders(const std::string& golden_folder, const std::string& actual_folder,
                              const GoldenRules& rules, const Measures& measures);

/// Relative paths, with '/', of all pictures in a folder and below, ascending. `unreadable`:
/// subfolders, with the reason.
struct FolderListing {
  std::vector<std::string> files;
  std::vector<std::string> others;  ///< and links to folders; unsorted
  std::vector<std::pair<std::string, std::string>> unreadable;
};
FolderListing list_pictures(const std::string& folder);
using FileChoice = std::function<bool(const std::filesystem::path&)>;
FolderListing list_files(const std::string& folder, const FileChoice& is_wanted);

}  // namespace roundel
