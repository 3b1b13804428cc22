#pragma once
#include <functional>
#include <string>

namespace roundel {

/// Makes the process safe to run in: standard descriptors that the caller has closed are opened
/// (else an output file would take their number and receive messages), a closed pipe is an error
/// and no signal, and SIGINT, SIGTERM, SIGHUP and those by which schedulers warn (SIGUSR1, SIGUSR2,
/// SIGXCPU, SIGPWR) remove temporary files and exit with 128 + the signal's number. So does an
/// exception that is not caught, as oneTBB throws where it gets no thread, with its message and
/// the code of failures.
void prepare_process();
/// The exit code of every failure from now on, instead of its own.
void set_failure_code(int code);

/// From now on the first of these signals is only recorded, see stop_signal(); the same signal once
/// more ends the process at once, as before, but for SIGXCPU, which the system repeats.
void let_signals_ask();
/// The number of the signal that asked the process to end; 0: none has.
int stop_signal();

/// Where the limit of the stack (ulimit -s) is below what drawing takes: calls `run` on a thread
/// with a stack of the usual size, which threads that it starts have too. False, with nothing
/// called, where the stack does or no thread can be had.
bool run_on_larger_stack(const std::function<void()>& run);

/// The body of main(): prepares the process, runs `work` on a stack that is large enough and prints
/// the error that it throws. Returns the exit code. `memory_advice` ends the message "out of
/// memory".
int run_process(const std::function<int()>& work, const std::string& memory_advice);

}  // namespace roundel
