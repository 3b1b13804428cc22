#pragma once
#include <cstdint>
#include <string>

#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/options.h"

namespace roundel {

/// Options that several commands have, each declared once. All keep references to their targets.

inline constexpr int kMaxThreads = 1024;

/// The note on exit codes of the commands that make or read files.
extern const char* const kExitCodes;

void add_size(CommandLine& line, SceneOptions& options);
void add_seed(CommandLine& line, SceneOptions& options);
void add_seed_and_frame(CommandLine& line, SceneOptions& options);
void add_threads(CommandLine& line, int& threads, const std::string& help);
/// `help`: what the memory is for; a size is read as parse_memory() does.
void add_memory(CommandLine& line, std::uint64_t& budget, const std::string& help);
void add_quiet(CommandLine& line, Verbosity& verbosity, const std::string& help);

}  // namespace roundel
