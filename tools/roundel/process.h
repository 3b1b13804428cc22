#pragma once
#include "tools/roundel/options.h"

namespace roundel {

/// Makes the process safe to run in: standard descriptors that the caller has closed are opened
/// (else an output file would take their number and receive messages), a closed pipe is an error
/// and no signal, and SIGINT, SIGTERM and SIGHUP remove temporary files and exit with 128 + the
/// signal's number. Sets up the log: lines "roundel: …" on stderr.
void prepare_process();

/// What reaches the log: errors; normal; everything.
void set_log_level(Verbosity verbosity);

}  // namespace roundel
