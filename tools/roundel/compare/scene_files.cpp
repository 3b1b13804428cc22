#include "tools/roundel/compare/scene_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/name_keys.h"
#include "renderer/compare/pending_goldens.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

std::vector<GoldenScene> scenes_in(const std::string& folder,
                                   const std::vector<std::string>& apart) {
  const FolderListing listing = list_files(folder, [](const fs::path& path) {
    return path.extension() == ".yaml" && path.filename() != kManifestName;
  });
  if (!listing.unreadable.empty()) {
    const auto& [below, reason] = listing.unreadable.front();
    throw Error(ExitCode::kUsage,
                fmt::format("{}: {}", (fs::path(folder) / below).string(), reason));
  }
  std::vector<std::string> inside;
  std::copy_if(apart.begin(), apart.end(), std::back_inserter(inside),
               [&](const std::string& other) { return lies_in(other, folder); });
  std::vector<GoldenScene> scenes;
  for (const std::string& name : listing.files) {
    const std::string path = (fs::path(folder) / name).string();
    if (std::none_of(inside.begin(), inside.end(),
                     [&](const std::string& other) { return lies_in(path, other); }))
      scenes.push_back({path, fs::path(name).replace_extension().string()});
  }
  if (scenes.empty())
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected scenes, files that end in .yaml, in this folder or below",
                            printable(folder)));
  return scenes;
}

void check_name(const GoldenScene& scene) {
  if (find_non_text(scene.name)) {
    throw Error(ExitCode::kUsage, fmt::format("{}: expected a name in UTF-8 without control "
                                              "characters, which its golden will have too",
                                              printable(scene.path)));
  }
  if (fs::path(scene.name).filename().string().find_first_not_of('.') == std::string::npos) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected a name of more than dots before its ending, which its "
                            "golden will have too",
                            scene.path));
  }
}

void check_collisions(const std::vector<GoldenScene>& scenes, bool are_films) {
  const char* const ending = are_films ? "/" : ".png";
  std::map<std::string, const GoldenScene*> owners;  // by file_key()
  for (const GoldenScene& scene : scenes) {
    const auto [found, is_new] = owners.emplace(file_key(scene.name), &scene);
    if (is_new) continue;
    const GoldenScene& owner = *found->second;
    std::string problem = fmt::format("{} and {} would both have the golden{} {}{}", owner.path,
                                      scene.path, are_films ? "s" : "", scene.name, ending);
    if (owner.name != scene.name) {
      const bool is_form = composed(owner.name) == composed(scene.name);
      problem += fmt::format(" where file systems do not tell {} apart: {} and {}",
                             is_form ? "the forms of Unicode" : "case", spelled_out(owner.name),
                             spelled_out(scene.name));
    }
    throw Error(ExitCode::kUsage, problem);
  }
  for (const GoldenScene& scene : scenes) {
    const std::string picture = picture_of_other_golden(scene.name + ".png");
    const auto owner = owners.find(file_key(picture.substr(0, picture.rfind('.'))));
    if (owner == owners.end()) continue;
    throw Error(ExitCode::kUsage, fmt::format("{}: its golden {}.png would be another golden of {}",
                                              scene.path, scene.name, owner->second->path));
  }
}

}  // namespace

std::vector<GoldenScene> find_scene_files(const std::vector<std::string>& given,
                                          const std::vector<std::string>& apart, bool are_films) {
  std::vector<GoldenScene> scenes;
  for (const std::string& path : given) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      for (GoldenScene& scene : scenes_in(path, apart)) scenes.push_back(std::move(scene));
    } else {
      scenes.push_back({path, fs::path(path).stem().string()});
    }
  }
  for (const GoldenScene& scene : scenes) check_name(scene);
  check_collisions(scenes, are_films);
  return scenes;
}

}  // namespace roundel
