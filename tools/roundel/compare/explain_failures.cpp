#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_rules.h"
#include "tools/roundel/compare/regress.h"
#include "tools/roundel/compare/scene_difference.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Of what a report shows beside its pictures.
constexpr std::size_t kClusters = 5, kCircles = 5;

[[noreturn]] void fail_with(const std::string& what, int code) {
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: {}", what, std::generic_category().message(code)));
}

/// An empty folder, removed with all that is in it.
class ScratchFolder {
 public:
  /// Throws Error(kRuntimeFailure) where none can be made.
  ScratchFolder() {
    std::error_code ignored;
    path_ = (fs::temp_directory_path(ignored) / "roundel-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) fail_with(path_, errno);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs a program, found as a shell finds it, with nothing on its standard input and its output in
/// these files, and returns its exit code (-1 where a signal ended it). Throws
/// Error(kRuntimeFailure) "NAME: …" where it cannot be started.
int run_program(const std::vector<std::string>& words, const std::string& stdout_path,
                const std::string& stderr_path) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  constexpr mode_t kMode = 0600;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, stdout_path.c_str(), kCreate, kMode);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, stderr_path.c_str(), kCreate, kMode);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail_with(words[0], error);
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) fail_with(words[0], errno);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// "p_####.npy" as a pattern of all frames.
std::string pattern_of(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (c != '#')
      pattern += c;
    else if (!pattern.ends_with('*'))
      pattern += '*';
  }
  return pattern;
}

/// A commit of the repository that a folder is in.
class Commit {
 public:
  Commit(const std::string& folder, std::string revision) : revision_(std::move(revision)) {
    top_ = first_line(ask({"-C", folder, "rev-parse", "--show-toplevel"}));
    const int code = git({"-C", top_, "rev-parse", "--verify", "--quiet", "--end-of-options",
                          revision_ + "^{commit}"},
                         path_of("out"));
    if (code != 0)
      throw Error(ExitCode::kUsage,
                  fmt::format("{}: no such revision in {}", roundel::quoted(revision_), top_));
    id_ = first_line(InputFile(path_of("out")).read());
  }

  const std::string& top() const { return top_; }

  /// Writes a file of the commit, as a checkout would have it. False where there is none.
  bool write(const fs::path& file, const fs::path& target) const {
    fs::create_directories(target.parent_path());
    const std::string object = id_ + ":" + file.string();
    if (git({"-C", top_, "cat-file", "-e", object}, path_of("out")) != 0) return false;
    if (git({"-C", top_, "cat-file", "--filters", object}, target.string()) != 0) fail();
    return true;
  }

  /// The files of the commit in a folder, from the repository's top on.
  std::vector<std::string> list(const fs::path& folder) const {
    return lines_of(ask({"-C", top_, "ls-tree", "--name-only", "-z", id_,
                         folder.empty() ? "./" : folder.string() + "/"}),
                    '\0');
  }

 private:
  std::string path_of(const char* name) const { return scratch_.path() + "/" + name; }
  int git(std::vector<std::string> words, const std::string& output) const {
    words.insert(words.begin(), "git");
    return run_program(words, output, path_of("error"));
  }
  std::string ask(std::vector<std::string> words) const {
    if (git(std::move(words), path_of("out")) != 0) fail();
    return InputFile(path_of("out")).read();
  }
  [[noreturn]] void fail() const {
    throw Error(ExitCode::kRuntimeFailure,
                "git: " + first_line(InputFile(path_of("error")).read()));
  }

  ScratchFolder scratch_;
  std::string revision_, top_, id_;
};

/// Writes the data that a scene of the commit names. What is not in it is as it is now.
void write_data(const Commit& commit, const SceneText& text, const fs::path& folder_in_top,
                const std::string& tree) {
  for (const std::string& data : text.data()) {
    const fs::path file = (folder_in_top / data).lexically_normal();
    if (data.empty() || file.is_absolute() || *file.begin() == "..") continue;
    std::vector<std::string> files = {file.string()};
    if (data.find('#') != std::string::npos) {
      files = commit.list(file.parent_path());
      const std::string pattern = pattern_of(file.string());
      std::erase_if(files, [&](const std::string& name) { return !glob_matches(pattern, name); });
    }
    for (const std::string& name : files) {
      const fs::path target = fs::path(tree) / name;
      if (fs::exists(target) || commit.write(name, target)) continue;
      std::error_code ignored;
      fs::create_symlink(fs::path(commit.top()) / name, target, ignored);
    }
  }
}

Lines not_explained(const std::exception& error) {
  std::vector<std::string> lines = lines_of(error.what());
  if (!lines.empty()) lines.front().insert(0, "not explained: ");
  return lines;
}

/// Why the scene's picture differs from that of the commit.
Lines explain(const Commit& commit, const std::string& revision, const std::string& path,
              const SceneOverrides& overrides) {
  const fs::path folder = fs::canonical(fs::absolute(path).parent_path());
  const fs::path in_top = (folder / fs::path(path).filename()).lexically_relative(commit.top());
  const ScratchFolder tree;
  const std::string old_path = tree.path() + "/" + in_top.string();
  Lines text;
  try {
    if (!commit.write(in_top, old_path))
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{} is not in {}", in_top.string(), revision));
    const std::string content = read_scene_text(old_path);
    write_data(commit, SceneText(content, old_path, overrides), in_top.parent_path(), tree.path());
    const SceneFile before(content, old_path, overrides);
    const SceneFile now(read_scene_text(path), path, overrides);
    const SceneDifference difference(before, now, overrides, kClusters);
    text = difference.text(kCircles);
    if (!difference.differs()) text += fmt::format("at {} it draws the same\n", revision);
  } catch (const Error& error) {
    text = not_explained(error);
  }
  // As git names the files of a revision.
  const std::string from = tree.path() + "/", to = revision + ":";
  std::vector<std::string> lines = text.all();
  for (std::string& line : lines)
    for (std::size_t at = 0; (at = line.find(from, at)) != std::string::npos; at += to.size())
      line.replace(at, from.size(), to);
  return lines;
}

}  // namespace

void explain_failures(const std::string& revision, const std::vector<Subject>& subjects,
                      const SceneOverrides& overrides, ComparisonRun& run) {
  std::map<std::string, const Subject*> by_name;
  for (const Subject& subject : subjects) by_name[subject.name] = &subject;
  std::map<std::string, Commit> commits;  // by the folder of a scene
  for (PairResult& result : run.results) {
    if (result.state != PairState::kDiffers || result.origin == Origin::kSameScene) continue;
    const Subject& subject = *by_name.at(result.name);
    const std::string& path = subject.scene->path;
    SceneOverrides of_frame = overrides;
    of_frame.frame = subject.frame;
    Lines text;
    try {
      if (is_stream_path(path)) throw Error(ExitCode::kUsage, path + ": no file");
      const std::string folder = fs::absolute(path).parent_path().string();
      const auto commit = commits.try_emplace(folder, folder, revision).first;
      text = explain(commit->second, revision, path, of_frame);
    } catch (const std::exception& error) {
      text = not_explained(error);
    }
    result.explanation = text.all();
  }
}

}  // namespace roundel
