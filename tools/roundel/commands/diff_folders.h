#pragma once
#include "tools/roundel/commands/diff_options.h"

namespace roundel {

/// `roundel diff FOLDER FOLDER`: compares the pictures in them, reports and returns the exit code.
int diff_folders(const DiffOptions& options);

}  // namespace roundel
