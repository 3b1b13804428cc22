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

/// What came of one picture of a run.
enum class PairState {
  kSame,         ///< within the tolerance
  kDiffers,      ///< beyond it, or of another shape
  kNew,          ///< there is no golden
  kMissing,      ///< there is a golden only
  kNotCompared,  ///< one of the two could not be read or made
};

/// What the fingerprints in the pictures tell about a difference.
enum class Origin {
  kUnknown,       ///< one of them does not say where it comes from
  kSameScene,     ///< of the same scene and frame: the renderer changed
  kSceneChanged,  ///< the golden is of another scene
  kOtherFrame,    ///< … of another frame of this scene
};

/// A golden and the picture that is held against it.
struct PairResult {
  std::string name;  ///< path in both folders, with '/'
  PairState state = PairState::kSame;
  Origin origin = Origin::kUnknown;
  std::string golden_path, actual_path;  ///< files; empty where there is none
  std::string difference_path;           ///< where an image of the differences was written
  std::string scene_path;                ///< of what was drawn
  double seconds = 0;                    ///< that drawing and comparing took
  std::string rule;                      ///< the name of the GoldenRule that applied
  Tolerance tolerance;                   ///< of that
  double pixels_per_degree = kDefaultPixelsPerDegree;  ///< of its ꟻLIP
  PictureDifference difference;                        ///< of kSame and kDiffers
  std::vector<std::string> reasons;      ///< every limit passed; why nothing could be compared
  std::vector<std::string> explanation;  ///< lines: what in the scene makes it differ
};

/// All pairs of a run, by name.
struct ComparisonRun {
  std::string title;  ///< "goldens and actual"
  std::vector<PairResult> results;
  /// Number of files in two folders that are not pictures, manifest and lock aside.
  std::size_t passed_over = 0;
  std::string golden_folder;
  std::size_t unsound = 0;    ///< pictures that are not kept there: accept would refuse them
  std::string output_folder;  ///< in which accept finds the pictures; empty: there is none
  std::vector<std::string> kept_before;  ///< names of an earlier run's pictures in output_folder
  int share = 0, shares = 0;  ///< share (from 1) of so many that make the whole; 0 of the whole
  /// For people: what they type to take over a picture, without its name; empty: they cannot.
  std::string accept_command;
};

/// The whole command that takes over these pictures, fit to be pasted into a shell.
std::string command_to_accept(const ComparisonRun& run, const std::vector<std::string>& names);

struct RunCounts {
  std::size_t same = 0, differ = 0, fresh = 0, missing = 0, not_compared = 0;
  std::size_t passed_over = 0;  ///< ComparisonRun's
  std::size_t all() const { return same + differ + fresh + missing + not_compared; }
};
RunCounts count_states(const ComparisonRun& run);

/// "same", "differs", "new", "missing", "not compared"
const char* state_name(PairState state);
/// "18 pictures: 15 same, 2 differ, 1 new; 3 other files passed over"
std::string counts_text(const RunCounts& counts);

/// What the origin means, in words: "the renderer changed: …". Empty for kUnknown.
std::string origin_text(Origin origin);
Origin origin_of(const std::optional<ImageMetadata>& golden,
                 const std::optional<ImageMetadata>& actual);

/// True for pictures with equal pixels whose golden does not say that it is of this scene and
/// frame: stored anew it would.
bool lacks_fingerprint(const PairResult& result);

/// Everything about a result in one line: `snow.png: differs: 12 pixels differ, at most 0 may;
/// the scene changed … [goldens.yaml:4 "snow*"]`.
std::string result_line(const PairResult& result);

/// Compares the two by the rule for `result.name` and fills in what follows from that. ꟻLIP and
/// SSIM are taken of pictures that differ only, unless the rule needs them.
void compare_pair(const Picture& golden, const Picture& actual, const GoldenRules& rules,
                  const Measures& measures, PairResult& result);
/// Compares the files of `result`, with memory from `budget`. A file that cannot be read is a
/// result too.
void compare_pair_of_files(const GoldenRules& rules, const Measures& measures, PairResult& result,
                           MemoryBudget& budget);

/// Pairs the pictures of two folders (files ending in .png, .exr, .pfm, .jpg, .jpeg or .webp) by
/// their paths in them and compares the pairs, on all cores, within half of the machine's memory.
/// Counts other files, and links to folders. A picture that cannot be read is a result like any
/// other. Throws Error(kInvalidScene) "PATH: …" where one of the two is no readable folder.
ComparisonRun compare_folders(const std::string& golden_folder, const std::string& actual_folder,
                              const GoldenRules& rules, const Measures& measures);

/// The paths, relative to the folder and with '/', of all pictures in it and the folders below, in
/// rising order. `unreadable`: the folders below that cannot be read, with the reason.
struct FolderListing {
  std::vector<std::string> files;
  std::vector<std::string> others;  ///< other files, and links to folders, in any order
  std::vector<std::pair<std::string, std::string>> unreadable;
};
FolderListing list_pictures(const std::string& folder);
/// The same for the files that are wanted.
using FileChoice = std::function<bool(const std::filesystem::path&)>;
FolderListing list_files(const std::string& folder, const FileChoice& is_wanted);

}  // namespace roundel
