#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "renderer/compare/golden_rules.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/picture_difference.h"

namespace roundel {

/// Outcome for one picture of a run.
enum class PairState {
  kSame,         ///< within the tolerance
  kDiffers,      ///< beyond the tolerance, or of another shape
  kNew,          ///< without a golden
  kMissing,      ///< only a golden exists
  kNotCompared,  ///< a picture could not be read or made
};

/// Cause of a difference, from the fingerprints in the pictures.
enum class Origin {
  kUnknown,       ///< a picture has no fingerprint
  kSameScene,     ///< same scene and frame: the renderer changed
  kSceneChanged,  ///< the golden is of another scene
  kOtherFrame,    ///< … of another frame of this scene
};

/// A golden and the picture that is compared with it.
struct PairResult {
  std::string name;  ///< path in both folders, with '/'
  PairState state = PairState::kSame;
  Origin origin = Origin::kUnknown;
  std::string golden_path, actual_path;                ///< empty if missing
  std::string difference_path;                         ///< image of the differences; empty: none
  std::string scene_path;                              ///< file of the drawn scene
  double seconds = 0;                                  ///< for drawing and comparing
  std::string rule;                                    ///< name of the applied GoldenRule
  Tolerance tolerance;                                 ///< the rule's
  double pixels_per_degree = kDefaultPixelsPerDegree;  ///< pixels per degree of the rule's ꟻLIP
  PictureDifference difference;                        ///< set for kSame and kDiffers
  std::vector<std::string> reasons;      ///< exceeded limits, or why nothing was compared
  std::vector<std::string> explanation;  ///< lines: causes in the scene
};

/// All pairs of a run, by name.
struct ComparisonRun {
  std::string title;  ///< "goldens and actual"
  std::vector<PairResult> results;
  /// Number of files in two folders that are not pictures, except manifest and lock.
  std::size_t passed_over = 0;
  std::string golden_folder;
  std::size_t unsound = 0;    ///< pictures that accept would refuse and the run does not keep
  std::string output_folder;  ///< folder where accept finds the pictures; empty: none
  std::vector<std::string> kept_before;  ///< names of an earlier run's pictures in output_folder
  int share = 0, shares = 0;             ///< share number (from 1) of `shares`; 0: the whole
  /// Command for people to accept a picture, without its name; empty: not possible.
  std::string accept_command;
};

/// Returns the whole command to accept these pictures, quoted for a shell.
std::string command_to_accept(const ComparisonRun& run, const std::vector<std::string>& names);

struct RunCounts {
  std::size_t same = 0, differ = 0, fresh = 0, missing = 0, not_compared = 0;
  std::size_t passed_over = 0;  ///< ComparisonRun::passed_over
  std::size_t all() const { return same + differ + fresh + missing + not_compared; }
};
RunCounts count_states(const ComparisonRun& run);

/// "same", "differs", "new", "missing", "not compared"
const char* state_name(PairState state);
/// "18 pictures: 15 same, 2 differ, 1 new; 3 other files passed over"
std::string counts_text(const RunCounts& counts);

/// Describes the origin: "the renderer changed: …". Empty for kUnknown.
std::string origin_text(Origin origin);
Origin origin_of(const std::optional<ImageMetadata>& golden,
                 const std::optional<ImageMetadata>& actual);

/// True for pictures with equal pixels whose golden has no fingerprint of this scene and frame, and
/// would get it if it was stored again.
bool lacks_fingerprint(const PairResult& result);

/// Describes a result in one line: `snow.png: differs: 12 pixels differ, at most 0 may; the scene
/// changed … [goldens.yaml:4 "snow*"]`.
std::string result_line(const PairResult& result);

/// Compares two pictures by the rule for `result.name` and fills in the other fields. Measures ꟻLIP
/// and SSIM only for pictures that differ, unless the rule needs them.
void compare_pair(const Picture& golden, const Picture& actual, const GoldenRules& rules,
                  const Measures& measures, PairResult& result);
/// Compares the files of `result`, with memory from `budget`. An unreadable file is a result, too.
void compare_pair_of_files(const GoldenRules& rules, const Measures& measures, PairResult& result,
                           MemoryBudget& budget);

/// Pairs the pictures of two folders (files ending in .png, .exr, .pfm, .jpg, .jpeg or .webp) by
/// relative path and compares the pairs, on all cores, within half of the machine's memory. Counts
/// other files, and links to folders. An unreadable picture is a result, too. Throws
/// Error(kInvalidScene) "PATH: …" for an unreadable folder.
ComparisonRun compare_folders(const std::string& golden_folder, const std::string& actual_folder,
                              const GoldenRules& rules, const Measures& measures);

/// Relative paths, with '/', of all pictures in a folder and its subfolders, ascending.
/// `unreadable`: subfolders that cannot be read, with the reason.
struct FolderListing {
  std::vector<std::string> files;
  std::vector<std::string> others;  ///< other files, and links to folders, unsorted
  std::vector<std::pair<std::string, std::string>> unreadable;
};
FolderListing list_pictures(const std::string& folder);
/// Lists the files that `is_wanted` selects.
using FileChoice = std::function<bool(const std::filesystem::path&)>;
FolderListing list_files(const std::string& folder, const FileChoice& is_wanted);

}  // namespace roundel
