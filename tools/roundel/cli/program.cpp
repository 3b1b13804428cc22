#include "tools/roundel/cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "renderer/base/error.h"

namespace roundel {
namespace {

[[noreturn]] void fail(const std::string& what, int code) {
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("{}: {}", what, std::generic_category().message(code)));
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code ignored;
  path_ = (std::filesystem::temp_directory_path(ignored) / "roundel-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) fail(path_, errno);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

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
  if (error != 0) fail(words[0], error);
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) fail(words[0], errno);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace roundel
