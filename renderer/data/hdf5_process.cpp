#include "renderer/data/hdf5_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/base/module.h"

namespace roundel {
namespace {

/// Maximum beyond the requested records.
constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{256} << 20;
constexpr timeval kWait{0, 100'000};

constexpr std::size_t kMaxIdle = 4;
/// Processes without open files. Never destroyed: tables may outlive it at exit.
struct IdleProcesses {
  IdleProcesses() { processes.reserve(kMaxIdle); }
  std::mutex mutex;
  std::vector<std::unique_ptr<Hdf5Process>> processes;
};
IdleProcesses& idle() {
  static auto* const processes = new IdleProcesses;
  return *processes;
}

/// Moves a socket above the standard streams: if these are closed, output to them must not go into
/// it.
int above_streams(int socket) {
  const int above = ::fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(socket);
  return above;
}

/// `socket`: standard input. Returns 0 or errno.
int spawn(const std::string& program, int socket, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  // Signals to the process group, such as Ctrl-C, are for this process, which ends in order. Others
  // wait for the helper's handlers.
  sigset_t all{};
  ::sigfillset(&all);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &all);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string name = program, parent = std::to_string(::getpid());
  const std::array<char*, 3> arguments = {name.data(), parent.data(), nullptr};
  const int problem =
      ::posix_spawn(&process, name.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return problem;
}

}  // namespace

std::unique_ptr<Hdf5Process> Hdf5Process::take(const std::string& path) {
  std::unique_ptr<Hdf5Process> process;
  {
    const std::lock_guard lock(idle().mutex);
    for (auto& processes = idle().processes; !process && !processes.empty();) {
      process = std::move(processes.back());
      processes.pop_back();
      if (!process->is_own() || ::waitpid(process->process_, nullptr, WNOHANG) != 0) process = {};
    }
  }
  const bool is_new = !process;
  if (is_new) process.reset(new Hdf5Process);
  process->path_ = path;
  process->peak_memory_ = 0;
  if (is_new) process->start();
  return process;
}

void Hdf5Process::return_to_pool(std::unique_ptr<Hdf5Process> process) {
  if (!process->is_own() || !process->send({kHdf5Close, 0, 0}, -1)) return;
  const std::lock_guard lock(idle().mutex);
  if (idle().processes.size() < kMaxIdle) idle().processes.push_back(std::move(process));
}

void Hdf5Process::start() {
  program_ = find_module("roundel-hdf5");
  owner_ = ::getpid();
  std::array<int, 2> sockets = {-1, -1};
  ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data());
  socket_ = above_streams(sockets[0]);
  const int other = above_streams(sockets[1]);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kWait, sizeof(kWait));
  const int problem = socket_ < 0 || other < 0 ? EMFILE : spawn(program_, other, process_);
  ::close(other);
  if (problem != 0)
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: cannot start {}, which reads it: {}", path_, program_,
                            std::generic_category().message(problem)));
  Hdf5Answer started{};
  receive(&started, sizeof(started));
  has_started_ = true;
}

bool Hdf5Process::is_own() const {
  return owner_ == ::getpid();
}

bool Hdf5Process::send(Hdf5Request request, int file) const {
  iovec bytes{&request, sizeof(request)};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(file))> control{};
  if (file >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(file));
    std::memcpy(CMSG_DATA(header), &file, sizeof(file));
  }
  ssize_t sent = 0;
  while ((sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == sizeof(request);
}

std::uint64_t Hdf5Process::send_request(const Hdf5Request& request, const std::string& name,
                                        int file) {
  if (!send(request, file) || !send_bytes(socket_, name.data(), name.size())) fail();
  Hdf5Answer answer{};
  receive(&answer, sizeof(answer));
  peak_memory_ = std::max(peak_memory_, answer.peak_memory);
  const std::uint64_t expected = answer.exit_code == 0 ? request.size : 0;
  if (answer.size < expected || answer.size - expected > kMaxAnswerBytes)
    throw Error(ExitCode::kInvalidScene, path_ + ": is damaged");
  if (answer.exit_code == 0) return answer.size - expected;
  std::string problem(answer.size, '\0');
  receive(problem.data(), problem.size());
  throw Error(answer.exit_code == 1 ? ExitCode::kRuntimeFailure : ExitCode::kInvalidScene,
              path_ + ": " + problem);
}

void Hdf5Process::receive(void* bytes, std::size_t size) {
  int waits = 0;
  const auto keep_waiting = [&] {
    checkpoint();
    is_late_ = ++waits >= max_hdf5_waits;
    return !is_late_;
  };
  if (!receive_bytes(socket_, bytes, size, keep_waiting)) fail();
}

void Hdf5Process::fail() {
  const int status = end();
  const std::string how = WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  if (is_late_)
    throw Error(ExitCode::kRuntimeFailure, fmt::format("{}: {} has not answered for {} s", path_,
                                                       program_, max_hdf5_waits / 10));
  if (!has_started_)
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: {}, which reads it, ended as it started ({}); it needs libhdf5, "
                            "and 64 MiB of what `ulimit -v` allows",
                            path_, program_, how));
  throw Error(ExitCode::kInvalidScene,
              fmt::format("{}: libhdf5 crashed while it read this file ({}): it is damaged, or "
                          "needs too much memory or time",
                          path_, how));
}

int Hdf5Process::end() {
  int status = 0;
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  const pid_t process = std::exchange(process_, 0);
  if (process <= 0 || !is_own()) return status;
  // If another part of the program has waited for the process, its number may be reused: do not
  // kill it.
  if (::waitpid(process, &status, WNOHANG) != 0) return status;
  ::kill(process, SIGKILL);
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace roundel
