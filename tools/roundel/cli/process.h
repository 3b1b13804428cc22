#pragma once
#include <functional>
#include <string>

namespace roundel {

/// Opens standard descriptors that the caller has closed, since an output file would get their
/// number and receive messages. Makes a closed pipe an error instead of a signal. On SIGINT,
/// SIGTERM, SIGHUP and the warnings of schedulers (SIGUSR1, SIGUSR2, SIGXCPU, SIGPWR) the process
/// removes temporary files and exits with 128 + the signal's number. On an uncaught exception, as
/// from oneTBB without threads, it prints the message and exits with the code of failures.
void prepare_process();
/// Sets the exit code of every later failure, which replaces its own.
void set_failure_code(int code);

/// The first of these signals is only recorded from here on, see stop_signal(). If it is repeated,
/// the process ends at once; SIGXCPU, which the system repeats, never counts twice. With false each
/// signal ends the process again.
void defer_signals(bool defers = true);
/// Returns the number of the signal that asked the process to end; 0 if there was none.
int stop_signal();
inline constexpr int kSignalExitCode = 128;  ///< exit codes of signals are this plus their number

/// If the stack limit (ulimit -s) is too small for drawing, calls `run` on a thread with a stack of
/// the usual size, which its own threads get, too. Returns false, without a call, if the stack is
/// large enough or the thread cannot be started.
bool run_on_larger_stack(const std::function<void()>& run);

/// The body of main(): prepares the process, runs `work` on a large enough stack and prints the
/// error that it throws. Returns the exit code. `memory_advice` ends the message "out of memory".
int run_process(const std::function<int()>& work, const std::string& memory_advice);

}  // namespace roundel
