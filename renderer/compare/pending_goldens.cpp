#include "renderer/compare/pending_goldens.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/compare/glob.h"
#include "renderer/image/files.h"
#include "renderer/scene/text.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListName = "pending.json";
constexpr std::size_t kMaxListBytes = std::size_t{1} << 30;

std::string list_path(const std::string& folder) {
  return (fs::path(folder) / kListName).string();
}

std::string actual_of(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / "actual" / name).string();
}

std::string diff_of(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / "diff" / name).string();
}

void make_folder_of(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (!error) return;
  throw Error(ExitCode::kOutputRefused,
              fmt::format("{}: cannot make its folder: {}", path, error.message()));
}

void write_bytes(const std::string& path, std::span<const std::uint8_t> bytes) {
  make_folder_of(path);
  write_file_atomically(path, bytes);
}

/// A path that stays within the folder it is relative to. The list is a file like any other, and
/// accepting writes where it says.
bool is_inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() && !find_non_text(name) &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

void remove_kept(const std::string& folder) {
  std::error_code ignored;
  if (!fs::exists(list_path(folder), ignored)) return;
  for (const std::string& name : read_pending(folder).names) {
    for (const std::string& path : {actual_of(folder, name), diff_of(folder, name)}) {
      fs::remove(path, ignored);
    }
  }
  fs::remove(list_path(folder), ignored);
}

std::string file_text(const std::string& path) {
  return InputFile(path).read(static_cast<std::size_t>(-1));
}

}  // namespace

PendingGoldens::PendingGoldens(std::string folder, std::string golden_folder)
    : folder_(std::move(folder)), golden_folder_(std::move(golden_folder)) {
  remove_kept(folder_);
}

std::string PendingGoldens::actual_path(const std::string& name) const {
  return actual_of(folder_, name);
}

std::string PendingGoldens::diff_path(const std::string& name) const {
  return diff_of(folder_, name);
}

void PendingGoldens::keep_actual(const std::string& name, const Image& image,
                                 const ImageMetadata& metadata) const {
  make_folder_of(actual_path(name));
  write_png(actual_path(name), image, metadata);
}

void PendingGoldens::keep_diff(const std::string& name, const Image& image) const {
  make_folder_of(diff_path(name));
  write_png(diff_path(name), image, {"roundel " ROUNDEL_VERSION, "", 0, 0});
}

void PendingGoldens::finish(const std::vector<std::string>& names) const {
  if (names.empty()) return;
  std::error_code error;
  const nlohmann::ordered_json list = {{"goldens", fs::absolute(golden_folder_, error).string()},
                                       {"names", names}};
  const std::string text = list.dump(1) + "\n";
  write_bytes(list_path(folder_),
              {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

AcceptableGoldens read_pending(const std::string& folder) {
  const std::string path = list_path(folder);
  const std::string text = InputFile(path).read(kMaxListBytes);
  AcceptableGoldens goldens{folder, "", {}};
  try {
    const auto list = nlohmann::json::parse(text);
    list.at("goldens").get_to(goldens.golden_folder);
    list.at("names").get_to(goldens.names);
  } catch (const nlohmann::json::exception&) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: expected the list that \"roundel regress\" writes", path));
  }
  for (const std::string& name : goldens.names) {
    if (is_inside(name)) continue;
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: expected paths within the folder of goldens, got {}", path,
                            roundel::quoted(name)));
  }
  return goldens;
}

std::vector<std::string> names_meant(const std::string& text,
                                     const std::vector<std::string>& names) {
  for (const std::string& exact : {text, text + ".png"}) {
    if (std::find(names.begin(), names.end(), exact) != names.end()) return {exact};
  }
  std::vector<std::string> meant;
  std::copy_if(names.begin(), names.end(), std::back_inserter(meant),
               [&text](const std::string& name) { return glob_matches(text, name); });
  return meant;
}

Accepted accept_golden(const AcceptableGoldens& goldens, const std::string& name) {
  const std::string golden = (fs::path(goldens.golden_folder) / name).string();
  const std::string bytes = file_text(actual_of(goldens.folder, name));
  std::error_code ignored;
  const bool is_there = fs::exists(golden, ignored);
  if (is_there && file_text(golden) == bytes) return Accepted::kAlready;
  write_bytes(golden, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return is_there ? Accepted::kReplaced : Accepted::kStored;
}

}  // namespace roundel
