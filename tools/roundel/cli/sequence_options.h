#pragma once
#include <optional>

#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/options.h"

namespace roundel {

/// --frames LIST, where "all" sets `all` instead.
void add_frames(CommandLine& line, std::optional<FrameList>& frames, bool& all,
                std::string* list_file = nullptr);

/// The options of `render` that are for sequences, and their checks.
void add_sequence(CommandLine& line, RenderOptions& options);
void check_sequence(const RenderOptions& options, CommandLine::Problems& problems);

}  // namespace roundel
