#pragma once
#include <string>
#include <vector>

namespace roundel {

/// A scene file that regress draws.
struct GoldenScene {
  std::string path;
  std::string name;  ///< of its goldens, without ending: "logo", or in a folder "sub/logo"
};

/// The files given, and all `*.yaml` in the folders given and below, in rising order of their
/// paths; but nothing that lies in one of the folders `apart`. Links to folders are not followed.
/// Throws Error(kUsage) for a folder without scenes, one that cannot be read, and scenes whose
/// goldens could not have their names, or would be one file, also where file systems tell neither
/// case nor Unicode's forms apart. `are_films`: their goldens are folders.
std::vector<GoldenScene> find_scene_files(const std::vector<std::string>& given,
                                          const std::vector<std::string>& apart, bool are_films);

}  // namespace roundel
