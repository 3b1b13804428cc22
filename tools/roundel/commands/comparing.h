#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/compare/stored_goldens.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/problems.h"

namespace roundel {

/// Exit codes of the commands that compare, for all failures: 1 would mean that the pictures
/// differ.
enum CompareExitCode : int { kSame = 0, kDiffer = 1, kCouldNotCompare = 2 };

/// Files that the commands which compare many pictures read and write.
struct RunFiles {
  std::optional<std::string> manifest;  ///< default: goldens.yaml beside the goldens, if it exists
  std::optional<std::string> report, junit, json, markdown;  ///< json may be "-"
  bool annotates = false;                                    ///< for GitHub, on stdout
  std::optional<std::string> title;                          ///< default: the names of the folders
};
/// Adds all but --json.
void add_run_files(CommandLine& line, RunFiles& files);
/// Adds the options for files that are written.
void add_result_files(CommandLine& line, RunFiles& files);
/// The common note about these options, below them.
extern const char* const kResultsNote;

/// Adds the options for tolerances and measures.
void add_tolerance(CommandLine& line, Tolerance& tolerance, Measures& measures);

/// Folder in which regress keeps pictures and accept finds them.
inline constexpr const char* kRegressOutput = "regress-output";
void add_regress_output(CommandLine& line, std::string& output, const std::string& help);

/// Throws Error(kUsage) if the folder for pictures to accept is also an input.
void check_other_folder(const std::string& output, const std::string& pictures);

/// Returns the command that accepts pictures from `output`, without their names. `goldens`: the
/// folder that the user named, which the command names too; empty if only a file names it.
std::string accept_command(const std::string& output, const std::string& goldens);
/// Throws Error(kUsage) if one of the paths lies where pictures are kept in `output`.
void check_apart(const std::string& output, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs);

/// Returns true if a run prints a line for each picture: neither quiet nor with JSON on stdout.
bool prints_lines(const RunFiles& files, Verbosity verbosity);

/// Copies the run's pictures that satisfy is_wanted() to `folder`, and lists them there with the
/// unused goldens, for accept. Unsound pictures, and those whose golden was not fetched, are left
/// out. Failed copies go to `problems`.
void gather_pictures(const std::string& folder, bool (*is_wanted)(const PairResult&),
                     PendingGoldens::Others others, ComparisonRun& run, Problems& problems);
/// Returns "a.png, b.png, …": the first five of these names.
std::string first_names(const std::vector<std::string>& names);
void print_unused_goldens(const StoredGoldens& stored);
/// Warns about an earlier run's files that cannot be removed, and about its removed pictures.
void warn_about_leftovers(const PendingGoldens& pending);
/// Warns about boxes to ignore and patterns of channels that fit none of their pictures.
void print_idle_limits(const ComparisonRun& run);
void print_accept_command(const ComparisonRun& run, const std::vector<std::string>& names);
/// Prints the next steps for the pictures in run.output_folder.
void print_advice(const ComparisonRun& run);
/// Names the pictures of earlier runs that accept finds there, too.
void print_earlier_pictures(const ComparisonRun& run);

/// Returns the path of the manifest, which may be missing.
std::string manifest_path(const RunFiles& files, const std::string& golden_folder);

/// Returns the manifest's rules, and `tolerance` for pictures without one.
GoldenRules load_rules(const RunFiles& files, const std::string& golden_folder,
                       const Tolerance& tolerance);

/// Returns the masks of these rules; empty if the manifest cannot be read.
std::vector<std::string> mask_files(const RunFiles& files, const std::string& golden_folder,
                                    const Tolerance& tolerance);

/// Returns the files of `files` that a run writes: JSON, JUnit's XML, the report's page.
std::vector<std::string> result_files(const RunFiles& files);

/// Returns the existing and missing plain files of result_files(), to claim: the same name for each
/// path to a file.
std::vector<std::string> claimed_results(const RunFiles& files);

/// Returns the pictures in a folder that must not be overwritten; empty if it cannot be read.
std::vector<std::string> picture_files(const std::string& folder);

/// Throws Error(kUsage) if one of `outputs` would replace a file of `inputs`, or two of them are
/// one file. Pipes and devices may be named twice.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Removes an earlier run's file with the name of a result, which a failing run must not leave. A
/// link stays, and its file is emptied. Read-only files stay, and writing reports them; pipes and
/// devices stay.
void remove_old_result(const std::string& path);
/// Removes all old results; a page that is not a Roundel report stays.
void remove_old_results(const RunFiles& files);

/// Writes all requested files, prints a line for each picture that differs and one for all, and
/// returns the exit code. A run that prints no lines reports failed comparisons on stderr. Gives
/// the run its title.
int finish_run(ComparisonRun& run, const GoldenRules& rules, const RunFiles& files,
               Verbosity verbosity);

}  // namespace roundel
