#pragma once

namespace roundel {

/// Returns run(argc, argv). Where the limit of the stack (ulimit -s) is below what drawing takes,
/// `run` gets a thread with a stack of the usual size, as do the threads that it starts.
int run_with_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace roundel
