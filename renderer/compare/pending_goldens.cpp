#include "renderer/compare/pending_goldens.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/image/files.h"
#include "renderer/image/png_decoder.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListOfOldVersions = "pending.json";
constexpr int kEntryVersion = 1;
constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 20;

fs::path entry_of(const std::string& name) {
  return fs::path("pending") / (name + ".json");
}

std::string diff_name(const std::string& name) {
  return name.ends_with(".png") ? name : name + ".png";
}

PendingGolden read_entry(const std::string& folder, const std::string& name) {
  const std::string path = (fs::path(folder) / entry_of(name)).string();
  if (!is_acceptable(name))
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: expected the name of a PNG or EXR file, and .json: delete this file",
                    path));
  check_plain(folder, entry_of(name));
  PendingGolden entry{name, ""};
  try {
    const auto json = nlohmann::json::parse(InputFile(path).read(kMaxEntryBytes));
    if (const auto& version = json.at("version"); version != kEntryVersion)
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: version: expected {}, got {}; run \"roundel regress\" again",
                              path, kEntryVersion, version.dump()));
    json.at("goldens").get_to(entry.golden_folder);
    entry.is_unused = json.value("unused", false);
  } catch (const nlohmann::json::exception&) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: expected what \"roundel regress\" writes; run it again", path));
  }
  return entry;
}

/// Returns the names with a file in FOLDER/pending.
std::vector<std::string> names_in(const std::string& folder) {
  const std::string pending = (fs::path(folder) / "pending").string();
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(pending, ignored))) return {};
  check_plain(folder, fs::path("pending") / "");
  std::vector<std::string> names =
      list_files(pending, [](const fs::path& path) { return path.extension() == ".json"; }).files;
  for (std::string& name : names) name.resize(name.size() - std::string_view(".json").size());
  return names;
}

/// Reads the entries of these names; invalid ones go to refuse(). Leaves out those that another
/// process removes in the meantime.
template <typename Refuse>
std::vector<PendingGolden> read_entries(const std::string& folder,
                                        const std::vector<std::string>& names,
                                        const Refuse& refuse) {
  std::vector<PendingGolden> entries;
  for (const std::string& name : names) {
    const auto error = catch_error([&] { entries.push_back(read_entry(folder, name)); });
    std::error_code ignored;
    if (error && fs::exists(fs::symlink_status(folder / entry_of(name), ignored))) refuse(*error);
  }
  return entries;
}

/// True for an existing plain file.
bool is_plain_file(const std::string& folder, const fs::path& below) {
  std::error_code ignored;
  return !catch_error([&] { check_plain(folder, below); }) && fs::exists(folder / below, ignored);
}

}  // namespace

PendingGoldens::PendingGoldens(std::string folder, std::string golden_folder,
                               std::vector<std::string> names, Others others)
    : folder_(std::move(folder)),
      golden_folder_(std::move(golden_folder)),
      claims_(folder_, names) {
  remove_leftover_files(folder_);
  remove_earlier(names);
  const auto error = catch_error([&] { sort_out_others(names, others); });
  if (error && leftover_problem_.empty()) leftover_problem_ = error->what();
}

bool PendingGoldens::is_for_these_goldens(const std::string& listed) const {
  return canonical_folder(fs::path(folder_) / listed) == canonical_folder(golden_folder_);
}

void PendingGoldens::remove_earlier(const std::vector<std::string>& names) const {
  std::vector<std::string> earlier;
  std::error_code ignored;
  if (!fs::exists(fs::path(folder_) / "pending", ignored)) return;
  for (const std::string& name : names) {
    if (!is_plain_file(folder_, entry_of(name))) continue;
    earlier.push_back(name);
    PendingGolden entry;
    if (catch_error([&] { entry = read_entry(folder_, name); })) continue;
    // Marks of unused goldens come back with the next run of those.
    if (entry.is_unused || is_for_these_goldens(entry.golden_folder)) continue;
    const std::string path = (fs::path(folder_) / entry_of(name)).string();
    throw Error(
        ExitCode::kUsage,
        fmt::format("{}: {} is pending for another folder of goldens, {}: accept it, delete this "
                    "file, or give this run its own --output",
                    path, name,
                    roundel::quoted(
                        (fs::path(folder_) / entry.golden_folder).lexically_normal().string())));
  }
  remove_pending(folder_, earlier);
}

void PendingGoldens::sort_out_others(const std::vector<std::string>& names, Others others) {
  const std::set<std::string> own(names.begin(), names.end());
  std::vector<std::string> found = names_in(folder_);
  std::erase_if(found, [&](const std::string& name) { return own.count(name) > 0; });
  std::vector<std::string> gone;
  const auto refuse = [this](const Error& error) { leftover_problem_ = error.what(); };
  for (const PendingGolden& entry : read_entries(folder_, found, refuse)) {
    if (!is_for_these_goldens(entry.golden_folder)) continue;
    const bool removes = others == Others::kRemove && claims_.try_claim(entry.name);
    if (removes) gone.push_back(entry.name);
    if (!entry.is_unused) (removes ? removed_ : kept_before_).push_back(entry.name);
  }
  remove_pending(folder_, gone);
}

std::string PendingGoldens::actual_path(const std::string& name) const {
  return (fs::path(folder_) / "actual" / name).string();
}

std::string PendingGoldens::diff_path(const std::string& name) const {
  return (fs::path(folder_) / "diff" / diff_name(name)).string();
}

void PendingGoldens::keep_actual(const std::string& name, const Image& image,
                                 const ImageMetadata& metadata) {
  write_png(prepare_actual(name), image, metadata, Sync::kLater);
}

void PendingGoldens::keep_actual(const std::string& name, std::span<const std::uint8_t> file) {
  write_file_atomically(prepare_actual(name), file, OverwriteRule::kFollow, Sync::kLater);
}

void PendingGoldens::keep_diff(const std::string& name, const Image& image) {
  write_png(prepare("diff/" + diff_name(name)), image, {kSoftware, "", 0, 0}, Sync::kLater);
}

void PendingGoldens::copy_actual(const std::string& name, const std::string& path) {
  copy("actual/" + name, name, path);
}

void PendingGoldens::copy_diff(const std::string& name, const std::string& path) {
  copy("diff/" + diff_name(name), diff_name(name), path);
}

void PendingGoldens::copy(const std::string& below, const std::string& name,
                          const std::string& path) const {
  if (!is_acceptable(name))
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: expected the name of a PNG or EXR file in the folder of goldens, got {}",
                    path, roundel::quoted(name)));
  const std::string bytes = InputFile(path).read();
  check_sound(name, path, bytes, false);
  write_text_atomically(below.starts_with("actual/") ? prepare_actual(name) : prepare(below), bytes,
                        Sync::kLater);
}

std::string PendingGoldens::prepare(const std::string& below) const {
  std::string path = (fs::path(folder_) / below).string();
  check_plain(folder_, below);
  make_folder_of(path);
  return path;
}

std::string PendingGoldens::prepare_actual(const std::string& name) const {
  std::string path = prepare("actual/" + name);
  write_entry(name, false);
  return path;
}

void PendingGoldens::list_unused(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (!claims_.try_claim(name)) continue;  // another run draws it
    remove_pending(folder_, {name});
    write_entry(name, true);
  }
}

void PendingGoldens::write_entry(const std::string& name, bool is_unused) const {
  // Relative, so that it is right in another checkout, too.
  std::error_code error;
  const fs::path relative = fs::relative(golden_folder_, folder_, error);
  nlohmann::ordered_json entry = {{"version", kEntryVersion}};
  entry["goldens"] = (relative.empty() ? fs::absolute(golden_folder_, error) : relative).string();
  if (is_unused) entry["unused"] = true;
  const std::string text =
      entry.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  write_text_atomically(prepare(entry_of(name).string()), text, Sync::kLater);
}

std::vector<PendingGolden> read_pending(const std::string& folder) {
  std::vector<PendingGolden> entries =
      read_entries(folder, names_in(folder), [](const Error& error) { throw Error(error); });
  const fs::path list = fs::path(folder) / kListOfOldVersions;
  std::error_code ignored;
  if (entries.empty() && fs::exists(fs::symlink_status(list, ignored)))
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: the list of an older version: delete {} and run \"roundel "
                            "regress\" again",
                            list.string(), folder));
  return entries;
}

bool is_pending(const std::string& folder, const std::string& name, bool is_unused) {
  bool is_this = false;
  catch_error([&] { is_this = read_entry(folder, name).is_unused == is_unused; });
  return is_this;
}

void remove_pending(const std::string& folder, const std::vector<std::string>& names) {
  std::error_code ignored;
  std::set<std::string> folders;
  // The entry goes last, so that a killed process leaves listed pictures only.
  for (const std::string& name : names) {
    if (!is_plain_file(folder, entry_of(name))) continue;
    for (const fs::path& below :
         {fs::path("actual") / name, fs::path("diff") / diff_name(name), entry_of(name)}) {
      if (!is_plain_file(folder, below)) continue;
      fs::remove(folder / below, ignored);
      folders.insert((folder / below).parent_path().string());
    }
  }
  for (const std::string& written_to : folders) remove_leftover_files(written_to);
}

void check_plain(const fs::path& folder, const fs::path& below) {
  fs::path path = folder;
  for (auto part = below.begin(); part != below.end(); ++part) {
    if (part->empty()) return;  // the end of a folder
    path /= *part;
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(path, ignored);
    if (!fs::exists(status)) return;
    const bool is_last = std::next(part) == below.end();
    if (is_last ? fs::is_regular_file(status) : fs::is_directory(status)) continue;
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: expected a {}; links are not followed{}", path.string(),
                            is_last ? "file" : "folder",
                            is_last && fs::is_symlink(status)
                                ? "; replace it by a copy of its file (git annex unlock, dvc "
                                  "unprotect), or remove it"
                                : ""));
  }
}

fs::path canonical_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(fs::absolute(folder, ignored), ignored);
  return path.has_filename() ? path : path.parent_path();
}

void make_folder_of(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (!error) return;
  throw Error(ExitCode::kOutputRefused,
              fmt::format("{}: cannot make its folder: {}", path, error.message()));
}

void check_sound(const std::string& name, const std::string& path, const std::string& bytes,
                 bool decodes) {
  const auto file = std::as_bytes(std::span(bytes));
  check_no_lfs_pointer(path, bytes);
  if (!name.ends_with(".exr")) {
    PngDecoder decoder(path, file);
    if (decodes) decoder.check_pixels();
  } else if (!bytes.starts_with(kExrStart)) {
    throw Error(ExitCode::kInvalidScene, path + ": not an EXR file");
  } else if (decodes) {
    decode_picture(path, file);
  }
}

// Accepting writes to these paths.
bool is_acceptable(const std::string& name) {
  const fs::path path(name);
  return (name.ends_with(".png") || name.ends_with(".exr")) && path.is_relative() &&
         is_utf8(name) && name.find('\0') == std::string::npos &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

std::string fault_of(const std::string& name, const std::string& path, bool was_decoded) {
  std::string bytes;
  if (!is_acceptable(name) || catch_error([&] { bytes = InputFile(path).read(); })) return "";
  const auto error = catch_error([&] { check_sound(name, path, bytes, !was_decoded); });
  return error ? error->what() : "";
}

bool is_within(const std::string& path, const std::string& folder) {
  std::error_code error_path, error_folder;
  const fs::path inner = fs::weakly_canonical(fs::absolute(path, error_path), error_path);
  const fs::path outer = fs::weakly_canonical(fs::absolute(folder, error_folder), error_folder);
  if (error_path || error_folder) return false;
  const auto [outer_end, inner_end] =
      std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return outer_end == outer.end() || (outer_end->empty() && std::next(outer_end) == outer.end());
}

std::optional<std::string> find_file_in(const std::vector<std::string>& files,
                                        const std::string& folder) {
  std::map<fs::path, bool> folders;  // each folder is checked once
  const auto is_inside = [&](const std::string& file) {
    std::error_code ignored;
    if (fs::is_symlink(file, ignored)) return is_within(file, folder);
    const fs::path parent = fs::path(file).parent_path();
    const auto [known, is_new] = folders.try_emplace(parent);
    if (is_new) known->second = is_within(parent.empty() ? "." : parent.string(), folder);
    return known->second;
  };
  const auto found = std::find_if(files.begin(), files.end(), is_inside);
  return found == files.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> matching_names(const std::string& text,
                                        const std::vector<std::string>& names) {
  for (const std::string& exact : {text, text + ".png", text + ".exr"}) {
    if (std::find(names.begin(), names.end(), exact) != names.end()) return {exact};
  }
  std::vector<std::string> matches;
  std::copy_if(names.begin(), names.end(), std::back_inserter(matches),
               [&text](const std::string& name) {
                 const std::string stem = name.substr(0, name.rfind('.'));
                 return glob_matches(text, name) || glob_matches(text, stem);
               });
  return matches;
}

}  // namespace roundel
