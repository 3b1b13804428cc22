#pragma once
#include "tools/roundel/cli/terminal.h"

namespace roundel {

/// Makes the process safe to run in: standard descriptors that the caller has closed are opened
/// (else an output file would take their number and receive messages), a closed pipe is an error
/// and no signal, and SIGINT, SIGTERM and SIGHUP remove temporary files and exit with 128 + the
/// signal's number. Sets up the log: lines "roundel: …" on stderr.
void prepare_process();

/// From now on the first SIGINT, SIGTERM or SIGHUP is only recorded, see stop_signal(); the
/// same signal once more ends the process at once, as before.
void let_signals_ask();
/// The number of the signal that asked the process to end; 0: none has.
int stop_signal();

/// What reaches the log: errors; normal; everything.
void set_log_level(Verbosity verbosity);

/// Returns run(argc, argv). Where the limit of the stack (ulimit -s) is below what drawing takes,
/// `run` gets a thread with a stack of the usual size, as do the threads that it starts.
int run_with_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace roundel
