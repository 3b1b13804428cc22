#include "tools/roundel/cli/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

std::atomic<bool> defers_signals{false};
std::atomic<int> first_signal{0};
std::atomic<std::uint64_t> seen_signals{0};  // a bit for each signal's number
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

extern "C" void end_on_signal(int signal_number) {
  if (defers_signals.load()) {
    // Launchers such as mpirun answer Ctrl-C, which the terminal sends to all, by a SIGTERM. This
    // is no second request, so only a repeated signal counts.
    int none = 0;
    first_signal.compare_exchange_strong(none, signal_number);
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(signal_number);
    const bool is_again = (seen_signals.fetch_or(bit) & bit) != 0;
    // The system repeats SIGXCPU each second of processor time.
    if (!is_again || signal_number == SIGXCPU) return;
  }
  remove_temporary_files();
  _exit(kSignalExitCode + signal_number);
}

std::atomic<int> failure_code{static_cast<int>(ExitCode::kRuntimeFailure)};

[[noreturn]] void end_on_exception() {
  static std::atomic<std::thread::id> first{};
  std::thread::id none;
  const std::thread::id here = std::this_thread::get_id();
  if (!first.compare_exchange_strong(none, here)) {
    if (none == here) _exit(failure_code.load());  // printing the message failed
    for (;;) pause();                              // the first one ends the process
  }
  remove_temporary_files();
  if (!std::current_exception()) abort();  // a bug, rather than missing memory or threads
  print_error(current_error());
  _exit(failure_code.load());
}

void open_closed_descriptor(int descriptor) {
  if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) return;
  // Opens it in the wrong direction: using it still fails as with a closed one, and opening it by a
  // name such as /dev/stdout fails as on a full device. open() takes the lowest free number, this
  // one.
  if (descriptor != STDIN_FILENO && open("/dev/full", O_RDONLY) >= 0) return;
  static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void handle(int signal_number) {
  struct sigaction current = {};
  sigaction(signal_number, nullptr, &current);
  if (current.sa_handler == SIG_IGN) return;  // set by nohup
  struct sigaction action = {};
  action.sa_handler = end_on_signal;
  sigfillset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void prepare_process() {
  keep_freed_blocks();
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    open_closed_descriptor(descriptor);
  }
  std::set_terminate(end_on_exception);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit then fails as on a full disk
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGPWR})
    handle(signal_number);
}

void set_failure_code(int code) {
  failure_code.store(code);
}

void defer_signals(bool defers) {
  defers_signals.store(defers);
}

int stop_signal() {
  return first_signal.load();
}

bool run_on_larger_stack(const std::function<void()>& run) {
  // A blending task keeps the state of a tile's pixels on its stack, about 50 KiB.
  constexpr std::size_t kMinStackBytes = std::size_t{1} << 20,
                        kUsualStackBytes = std::size_t{8} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kMinStackBytes) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kUsualStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  try {
    std::thread(run).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

int run_process(const std::function<int()>& work, const std::string& memory_advice) {
  int code = 0;
  const auto fail = [&code](const Error& error) {
    print_error(error);
    constexpr int kDefaultCode = static_cast<int>(ExitCode::kRuntimeFailure);
    code = failure_code == kDefaultCode ? static_cast<int>(error.exit_code()) : failure_code.load();
  };
  const auto run = [&] {
    try {
      prepare_process();
      code = work();
      finish_output();
    } catch (const UsageError& error) {
      fail(error);
      print_err(error.advice());
    } catch (...) {
      fail(current_error(memory_advice));
    }
  };
  if (!run_on_larger_stack(run)) run();
  return code;
}

}  // namespace roundel
