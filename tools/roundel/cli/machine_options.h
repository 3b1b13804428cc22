#pragma once
#include <limits>
#include <string>
#include <vector>

#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/options.h"

namespace roundel {

/// Options of the commands that draw. All keep references to their targets.

inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

void add_scenes(CommandLine& line, std::vector<std::string>& scenes);
void add_backend(CommandLine& line, BackendChoice& backend, const std::string& help);
/// --backend, --device, --threads and --memory.
void add_machine(CommandLine& line, MachineOptions& options);
void add_verbose(CommandLine& line, Verbosity& verbosity, const std::string& help);

}  // namespace roundel
