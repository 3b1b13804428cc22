#include "renderer/base/similar_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {

namespace fs = std::filesystem;

std::string did_you_mean_file(const std::string& path,
                              const std::vector<std::string_view>& endings) {
  constexpr std::size_t kMaxEntries = 10'000;  // more would take too long to read
  const fs::path file(path);
  const fs::path folder = file.parent_path();
  std::map<std::string, std::string> names;  // by stem, since extensions make all names similar
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (std::size_t i = 0; !error && entry != fs::directory_iterator() && i < kMaxEntries; ++i) {
    const fs::path name = entry->path().filename();
    const std::string ending = name.extension().string();
    const bool is_alike = ending == file.extension().string() ||
                          std::find(endings.begin(), endings.end(), ending) != endings.end();
    std::error_code ignored;
    if (is_alike && entry->is_regular_file(ignored)) {
      std::string& first_name = names[name.stem().string()];
      if (first_name.empty() || name.string() < first_name) first_name = name.string();
    }
    entry.increment(error);
  }
  std::vector<std::string> stems;
  stems.reserve(names.size());
  for (const auto& [stem, name] : names) stems.push_back(stem);
  const auto nearest = nearest_name(file.stem().string(), stems);
  if (!nearest) return "";
  return " (did you mean " + roundel::quoted((folder / names[*nearest]).string()) + "?)";
}

namespace {

/// did_you_mean_file() for "scenes/NAME.yaml" of the installed program.
std::string did_you_mean_example(const std::string& path) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path example = program.parent_path().parent_path() / "share/roundel" / path;
  if (!fs::is_regular_file(example, ignored)) return "";
  return " (did you mean \"" + printable(example.string()) + "\"?)";
}

}  // namespace

void check_file_exists(const std::string& path, const std::vector<std::string_view>& endings) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() != fs::file_type::not_found || path.find('\0') != std::string::npos) return;
  const std::string nearby = did_you_mean_file(path, endings);
  throw Error(ExitCode::kInvalidScene,
              path + ": no such file" + (nearby.empty() ? did_you_mean_example(path) : nearby));
}

}  // namespace roundel
