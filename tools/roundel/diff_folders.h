#pragma once
#include <string>

#include "tools/roundel/run_options.h"

namespace roundel {

/// `roundel diff FOLDER FOLDER`: compares the pictures in them, reports and returns the exit code.
int diff_folders(const std::string& golden_folder, const std::string& actual_folder,
                 const RunOptions& options, Verbosity verbosity);

}  // namespace roundel
