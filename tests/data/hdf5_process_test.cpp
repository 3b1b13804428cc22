#include "renderer/data/hdf5_process.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "renderer/data/table.h"
#include "tests/data/table_values.h"
#include "tests/testing.h"

namespace roundel {
namespace {

std::string corpus(const std::string& name) {
  return std::string(ROUNDEL_SOURCE_DIR) + "/tests/fuzz/corpus/hdf5/" + name;
}
/// Its rows are packed, so that the helper reads them.
std::unique_ptr<Table> open_packed() {
  return open_table(corpus("chunks.h5"));
}
void expect_rows(const Table& table) {
  const std::vector<double> values = values_of(table);
  ASSERT_EQ(values.size(), 60U);
  EXPECT_EQ(values[0], double{0.47318864F});
  EXPECT_EQ(values[59], double{0.9699254F});
}

/// Returns the processes that this one or its children have started.
std::vector<pid_t> processes_below(pid_t process) {
  std::vector<pid_t> found;
  std::error_code has_ended;  // meanwhile
  std::filesystem::directory_iterator task("/proc/" + std::to_string(process) + "/task", has_ended);
  while (!has_ended && task != std::filesystem::directory_iterator()) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) {
      found.push_back(child);
      for (const pid_t below : processes_below(child)) found.push_back(below);
    }
    task.increment(has_ended);
  }
  return found;
}
bool is_there(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}
/// Returns true if all of these end within ten seconds.
bool do_end(const std::vector<pid_t>& processes) {
  for (int i = 0; i < 1000; ++i) {
    if (std::none_of(processes.begin(), processes.end(), is_there)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Runs `work` in a forked process, which has 60 s; its expectations must hold there.
template <typename Work>
void expect_in_fork(
    const Work& work, const std::function<void()>& meanwhile = [] {}) {
  const pid_t process = ::fork();
  if (process == 0) {
    ::alarm(60);
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  meanwhile();
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "");
}

// Finds of a fuzzer, at which libhdf5 1.10.8 ends with a segmentation fault.
TEST(Hdf5Process, FilesThatCrashTheLibraryAreReportedByName) {
  for (const std::string name : {"crash_heap.h5", "crash_texts.h5"}) {
    const std::string error = message_of([&] {
      const auto table = open_table(corpus(name));
      rows_of(*table, 0, table->rows());
    });
    EXPECT_TRUE(error.starts_with(corpus(name) + ": ")) << error;
  }
  expect_rows(*open_packed());
}

TEST(Hdf5Process, CanBeKilled) {
  for (const std::size_t which : {0U, 1U})  // one of them reads the file, the other one is idle
    expect_in_fork([which] {
      const auto table = open_packed();
      const std::vector<pid_t> processes = processes_below(::getpid());
      ASSERT_EQ(processes.size(), 2U);
      ::kill(processes[which], SIGKILL);
      EXPECT_TRUE(do_end(processes));
      EXPECT_EQ(message_of([&] { values_of(*table); }),
                table->path() +
                    ": libhdf5 crashed while it read this file (Killed): it is damaged, or needs "
                    "too much memory or time");
      expect_rows(*table);  // by another one
    });
}

TEST(Hdf5Process, ReadsManyFilesUnlessItEnds) {
  expect_in_fork([] {
    expect_rows(*open_packed());
    std::vector<pid_t> idle = processes_below(::getpid());
    while (idle.size() > 1) idle = processes_below(::getpid());
    expect_rows(*open_packed());
    const auto table = open_table(corpus("array.h5"));
    EXPECT_EQ(values_of(*table).size(), 12U);
    EXPECT_EQ(processes_below(::getpid()).at(0), idle.at(0));
    ::kill(idle[0], SIGKILL);
    EXPECT_TRUE(do_end(idle));
    expect_rows(*open_packed());
  });
}

TEST(Hdf5Process, EndsWithTheProgram) {
  for (const bool has_forked : {false, true}) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t program = ::fork();
    if (program == 0) {
      ::alarm(60);  // also if the test has failed
      const auto kept = open_packed();
      open_packed();
      // Keeps the connections open, too.
      if (has_forked && ::fork() == 0) ::sleep(20), ::_exit(0);
      EXPECT_EQ(::write(pipe[1], "", 1), 1);
      ::pause();
    }
    char ready = 0;
    ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
    std::vector<pid_t> helpers = processes_below(program);
    std::erase_if(helpers, [](pid_t process) {
      std::ifstream file("/proc/" + std::to_string(process) + "/comm");
      std::string name;  // empty if the process has ended meanwhile
      return !std::getline(file, name) || name != "roundel-hdf5";
    });
    EXPECT_GE(helpers.size(), 3U);
    ::kill(program, SIGKILL);
    ::waitpid(program, nullptr, 0);
    EXPECT_TRUE(do_end(helpers));
    ::close(pipe[0]), ::close(pipe[1]);
  }
}

TEST(Hdf5Process, OutlivesTheThreadThatStartedIt) {
  expect_in_fork([] {
    std::unique_ptr<Table> table;
    std::thread([&] { table = open_packed(); }).join();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    expect_rows(*table);
  });
}

/// Returns the targets of the process's descriptors, by number.
std::vector<std::string> files_of(pid_t process) {
  std::vector<std::string> files;
  const std::string folder = "/proc/" + std::to_string(process) + "/fd/";
  for (int i = 0; std::filesystem::is_symlink(folder + std::to_string(i)); ++i)
    files.push_back(std::filesystem::read_symlink(folder + std::to_string(i)));
  const auto all = std::distance(std::filesystem::directory_iterator(folder), {});
  EXPECT_EQ(static_cast<std::size_t>(all), files.size());
  return files;
}

/// As on Linux before 5.9.
void deny_close_range() {
  std::array<sock_filter, 4> program = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{program.size(), program.data()};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
  ASSERT_EQ(::close_range(1000, 1001, 0), -1);
}

TEST(Hdf5Process, HasOnlyItsConnectionAndItsFile) {
  for (const bool is_old : {false, true})
    expect_in_fork([is_old] {
      if (is_old) deny_close_range();
      std::array<int, 2> pipe{};
      ASSERT_EQ(::pipe(pipe.data()), 0);  // without O_CLOEXEC
      const auto table = open_packed(), other = open_packed();
      expect_rows(*table);
      ::close(pipe[1]);
      char nothing = 0;
      EXPECT_EQ(::read(pipe[0], &nothing, 1), 0);  // waits while another process can write
      const std::vector<pid_t> processes = processes_below(::getpid());
      EXPECT_EQ(processes.size(), 4U);
      for (const pid_t process : processes) {
        const std::vector<std::string> files = files_of(process);
        ASSERT_GE(files.size(), 3U);
        EXPECT_TRUE(files[0].starts_with("socket:")) << files[0];
        for (std::size_t i = 1; i < files.size(); ++i)
          EXPECT_EQ(files[i], i <= 2 ? (kSanitized ? files[i] : "/dev/null")
                                     : std::filesystem::canonical(table->path()).string());
        EXPECT_LE(files.size(), 5U);
      }
    });
}

TEST(Hdf5Process, ForkedProcessStartsItsOwnHelper) {
  expect_in_fork([] {
    auto table = open_packed();
    const auto read = [&table] {
      for (int i = 0; i < 50; ++i) expect_rows(*table);
    };
    expect_in_fork([&] { read(), table.reset(), expect_rows(*open_packed()); }, read);
    read();
  });
}

TEST(Hdf5Process, ForkIsSafeWhileOtherThreadsOpenFiles) {
  expect_in_fork([] {
    std::atomic<bool> is_done = false;
    std::thread thread([&] {
      const auto table = open_packed();
      while (!is_done) expect_rows(*table);
    });
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      expect_in_fork([&] { expect_rows(*open_packed()); });
    }
    is_done = true;
    thread.join();
  });
}

TEST(Hdf5Process, TableClosesWithoutWaitingForForkedProcesses) {
  expect_in_fork([] {
    auto table = open_packed();
    const pid_t idle = ::fork();
    if (idle == 0) {
      ::pause();
      ::_exit(0);
    }
    ::kill(idle, SIGSTOP);
    table.reset();
    ::kill(idle, SIGKILL);
    ::waitpid(idle, nullptr, 0);
  });
}

TEST(Hdf5Process, ReadsWithClosedStandardStreams) {
  expect_in_fork([] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
    ::open("/dev/null", O_RDWR);  // the file would be open, but not the connection
    const auto table = open_packed();
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      EXPECT_EQ(::write(stream, "text", 4), -1);
    expect_rows(*table);
  });
}

TEST(Hdf5Process, LeavesSignalsToTheProgram) {
  expect_in_fork([] {
    ::setpgid(0, 0);
    static int caught = 0;
    const std::array signals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                                SIGUSR2, SIGPIPE, SIGPROF, SIGCHLD, SIGRTMIN + 1};
    for (const int signal : signals) ::signal(signal, [](int) { ++caught; });
    const auto table = open_packed();
    for (const int signal : signals) ::kill(0, signal);
    // Service managers end all processes like this.
    for (const pid_t process : processes_below(::getpid())) ::kill(process, SIGTERM);
    expect_rows(*table);
    EXPECT_GE(caught, static_cast<int>(signals.size()));
  });
}

TEST(Hdf5Process, HasATimeLimit) {
  expect_in_fork([] {
    max_hdf5_waits = 3;
    const auto table = open_packed();
    for (const pid_t process : processes_below(::getpid())) ::kill(process, SIGSTOP);
    const auto error = catch_error([&] { values_of(*table); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->exit_code(), ExitCode::kRuntimeFailure);
    EXPECT_TRUE(std::string(error->what()).starts_with(table->path() + ": ")) << error->what();
    EXPECT_TRUE(std::string(error->what()).ends_with(" has not answered for 0 s"));
    max_hdf5_waits = 3000;
    expect_rows(*table);
  });
}

TEST(Hdf5Process, TooFewDescriptorsAreReportedWithTheFile) {
  for (rlim_t limit = 3; limit < 12; ++limit)
    expect_in_fork([limit] {
      const rlimit files{limit, limit};
      ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
      const auto error = catch_error([] { expect_rows(*open_packed()); });
      const std::string said = error ? error->what() : "";
      EXPECT_TRUE(said.empty() || said.starts_with(corpus("chunks.h5") + ": ")) << said;
    });
}

}  // namespace
}  // namespace roundel
