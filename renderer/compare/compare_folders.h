#pragma once
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// Pairs the pictures of two folders (files ending in .png, .exr or .pfm) by their paths in them
/// and compares the pairs, on all cores. Other files, and links to folders, are passed over. A
/// picture that cannot be read is a result like any other. Throws Error(kInvalidScene) "PATH: …"
/// where one of the two is no folder that can be read.
ComparisonRun compare_folders(const std::string& golden_folder, const std::string& actual_folder,
                              const GoldenRules& rules, const Measures& measures);

/// The paths, relative to the folder and with '/', of all pictures in it and the folders below, in
/// rising order. `unreadable`: the folders below that cannot be read, with the reason.
struct FolderListing {
  std::vector<std::string> pictures;
  std::vector<std::pair<std::string, std::string>> unreadable;
};
FolderListing list_pictures(const std::string& folder);

}  // namespace roundel
