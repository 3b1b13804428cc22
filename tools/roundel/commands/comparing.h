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

/// Of the commands that compare, in whatever goes wrong: 1 would say that the pictures differ.
enum CompareExitCode : int { kSame = 0, kDiffer = 1, kCouldNotCompare = 2 };

/// Files that the commands which compare many pictures read and write.
struct RunFiles {
  std::optional<std::string> manifest;  ///< default: goldens.yaml with the goldens, if it is there
  std::optional<std::string> report, junit, json, markdown;  ///< json may be "-"
  bool annotates = false;                                    ///< for GitHub, on stdout
};
/// All but --json.
void add_run_files(CommandLine& line, RunFiles& files);
/// Those of them that are written.
void add_result_files(CommandLine& line, RunFiles& files);
/// What holds for all of them, for the notes below the options.
extern const char* const kResultsNote;

/// The options that say what may differ and what is measured.
void add_tolerance(CommandLine& line, Tolerance& tolerance, Measures& measures);

/// Where regress keeps pictures, and accept finds them.
inline constexpr const char* kRegressOutput = "regress-output";
void add_regress_output(CommandLine& line, std::string& output, const std::string& help);

/// Throws Error(kUsage) where the folder for pictures to accept is one that pictures are read from.
void check_other_folder(const std::string& output, const std::string& pictures);

/// Returns the command that accepts pictures from `output`, without their names. `goldens` is the
/// folder that the person named, so that the command may name it too; empty if only a file names
/// it.
std::string accept_command(const std::string& output, const std::string& goldens);
/// Throws Error(kUsage) where one of the paths lies where pictures are kept in `output`.
void check_apart(const std::string& output, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs);

/// True where a run prints a line for each picture: neither quiet nor with JSON on stdout.
bool prints_lines(const RunFiles& files, Verbosity verbosity);

/// Copies the pictures of the run for which is_wanted() to `folder`, and lists them there and the
/// goldens of no picture, as regress leaves its own: accept finds them. Those that are not
/// sound are not kept: accept would refuse them; nor are those whose golden was not fetched. What
/// cannot be copied goes to `problems`.
void gather_pictures(const std::string& folder, bool (*is_wanted)(const PairResult&),
                     PendingGoldens::Others others, ComparisonRun& run, Problems& problems);
/// "a.png, b.png, …": the first five of these names.
std::string few_names(const std::vector<std::string>& names);
/// Prints the names of the goldens that no scene of the run draws.
void print_unused_goldens(const StoredGoldens& stored);
/// Warns about what an earlier run has left that cannot be removed, and about its pictures that
/// were.
void warn_of_leftovers(const PendingGoldens& pending);
/// Prints the command that accepts these pictures of run.output_folder.
void print_how_to_accept(const ComparisonRun& run, const std::vector<std::string>& names);
/// What to do about the pictures in run.output_folder.
void print_advice(const ComparisonRun& run);
/// Names the pictures of earlier runs that accept finds there, too.
void print_kept_before(const ComparisonRun& run);

/// The manifest that is read if it is there.
std::string manifest_path(const RunFiles& files, const std::string& golden_folder);

/// The manifest's rules, and `tolerance` for pictures without one.
GoldenRules load_rules(const RunFiles& files, const std::string& golden_folder,
                       const Tolerance& tolerance);

/// The masks of these rules; none of a manifest that cannot be read.
std::vector<std::string> masks_read(const RunFiles& files, const std::string& golden_folder,
                                    const Tolerance& tolerance);

/// The files of `files` that a run writes: JSON, JUnit's XML, the report's page.
std::vector<std::string> result_files(const RunFiles& files);

/// The pictures in a folder, to which nothing may be written; none where it cannot be read.
std::vector<std::string> pictures_read(const std::string& folder);

/// Throws Error(kUsage) where one of `outputs` would replace a file of `inputs`, or two of them are
/// one file. Pipes and devices may be named twice.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Removes the file that an earlier run has left under the name of a result, so that it is not
/// taken for one of a run that fails. A link stays, and its file is emptied. What cannot be written
/// stays, and writing says so; pipes and devices stay.
void remove_old_result(const std::string& path);
/// The same for all results; a page that is no report of ours stays.
void remove_old_results(const RunFiles& files);

/// Writes the files that were asked for, each also where another could not be written, prints a
/// line for each picture that is not the same and one for all, and returns the exit code. Where no
/// lines are wanted, what could not be compared is told on stderr.
int finish_run(const ComparisonRun& run, const GoldenRules& rules, const RunFiles& files,
               Verbosity verbosity);

}  // namespace roundel
