#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/explain/scene_difference.h"
#include "tools/roundel/commands/regress_run.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Limits of a report beside its pictures.
constexpr std::size_t kClusters = 5, kCircles = 5;

/// Returns the path of the scene's file in the other checkout. Throws Error(kUsage) for a scene
/// outside the working directory.
std::string path_in_checkout(const std::string& checkout, const std::string& path) {
  const fs::path below = fs::path(path).lexically_normal();
  if (is_stream_path(path) || below.is_absolute() || *below.begin() == "..")
    throw Error(
        ExitCode::kUsage,
        fmt::format(
            "{}: expected a path below the working directory, which leads to the same scene in {}",
            path, checkout));
  return (fs::path(checkout) / below).string();
}

/// True if the working directory is in a git repository without its older commits.
bool is_shallow_clone() {
  std::error_code ignored;
  for (fs::path folder = fs::current_path(ignored); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return fs::exists(folder / ".git/shallow", ignored);
    if (folder == folder.root_path()) break;
  }
  return false;
}

/// Explains why the scene's picture differs from that of the same scene in the other checkout.
void explain(const std::string& checkout, const std::string& path, const SceneOverrides& overrides,
             PairResult& result) {
  const std::string old_path = path_in_checkout(checkout, path);
  const SceneFile before(read_scene_text(old_path), old_path, overrides);
  const SceneFile after(read_scene_text(path), path, overrides);
  const SceneDifference difference(before, after, overrides, kClusters);
  Lines text = difference.text(kCircles);
  if (!difference.differs()) text += fmt::format("{} draws the same\n", old_path);
  result.explanation = text.all();
  result.scene_line = difference.changed_line();
}

}  // namespace

void check_checkout(const std::string& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  if (fs::exists(fs::symlink_status(folder, ignored)))
    throw Error(ExitCode::kUsage, fmt::format("--explain-from: expected a folder, got the file {}",
                                              roundel::quoted(folder)));
  // A path can be made; everything else is probably a revision.
  const bool is_path = folder.starts_with('.') || folder.starts_with('/');
  throw Error(ExitCode::kUsage,
              fmt::format("--explain-from: expected a folder with another checkout of the project, "
                          "got {}; git worktree add {} {} makes one{}",
                          roundel::quoted(folder), is_path ? shell_word(folder) : "../old",
                          is_path ? "origin/main" : shell_word(folder),
                          is_shallow_clone() ? "; this clone is shallow: first git fetch "
                                               "--unshallow, or fetch-depth: 0 on GitHub"
                                             : ""));
}

void explain_failures(const std::string& checkout, const std::vector<Subject>& subjects,
                      const SceneOverrides& overrides, ComparisonRun& run) {
  std::map<std::string, const Subject*> by_name;
  for (const Subject& subject : subjects) by_name[subject.name] = &subject;
  for (PairResult& result : run.results) {
    if (result.state != PairState::kDiffers || result.origin == Origin::kSameScene) continue;
    const Subject& subject = *by_name.at(result.name);
    SceneOverrides of_frame = overrides;
    of_frame.frame = subject.frame;
    try {
      explain(checkout, subject.scene->path, of_frame, result);
    } catch (const std::exception& error) {
      result.explanation = lines_of(fmt::format("not explained: {}\n", error.what()));
    }
  }
}

}  // namespace roundel
