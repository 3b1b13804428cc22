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
#include "renderer/compare/golden_names.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/image/files.h"
#include "renderer/image/png_decoder.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListName = "pending.json";
constexpr int kListVersion = 1;
constexpr std::size_t kMaxListBytes = std::size_t{1} << 30;

std::string list_path(const std::string& folder) {
  return (fs::path(folder) / kListName).string();
}

std::string diff_name(const std::string& name) {
  return name.ends_with(".png") ? name : name + ".png";
}

std::string actual_of(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / "actual" / name).string();
}

void make_folder_of(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (!error) return;
  throw Error(ExitCode::kOutputRefused,
              fmt::format("{}: cannot make its folder: {}", path, error.message()));
}

/// Throws Error(kOutputRefused) if FOLDER/BELOW, or a part of the path, is not a plain file or
/// folder: a link could lead anywhere, a FIFO blocks its writer.
void check_plain(const fs::path& folder, const fs::path& below) {
  fs::path path = folder;
  for (auto part = below.begin(); part != below.end(); ++part) {
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

struct PendingList {
  std::string golden_folder;
  std::vector<std::string> names, unused;
  std::set<std::string> earlier;  ///< names that an earlier run has left
  bool is_finished = true;

  /// True for pictures of finished runs.
  bool is_complete(const std::string& name) const { return is_finished || earlier.count(name) > 0; }
};

PendingList read_list(const std::string& folder) {
  const std::string path = list_path(folder);
  check_plain(folder, kListName);
  PendingList pending;
  try {
    const auto list = nlohmann::json::parse(InputFile(path).read(kMaxListBytes));
    if (const auto& version = list.at("version"); version != kListVersion)
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: version: expected {}, got {}; run \"roundel regress\" again",
                              path, kListVersion, version.dump()));
    list.at("goldens").get_to(pending.golden_folder);
    list.at("names").get_to(pending.names);
    pending.unused = list.value("unused", pending.unused);
    pending.earlier = list.value("earlier", pending.earlier);
    pending.is_finished = list.value("finished", true);
  } catch (const nlohmann::json::exception&) {
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: expected the list that \"roundel regress\" writes; run it again", path));
  }
  for (const auto* names : {&pending.names, &pending.unused})
    for (const std::string& name : *names) {
      if (is_acceptable(name)) continue;
      throw Error(
          ExitCode::kInvalidScene,
          fmt::format("{}: expected paths of PNG or EXR files within the folder of goldens, got {}",
                      path, roundel::quoted(name)));
    }
  return pending;
}

class StoredFiles {
 public:
  explicit StoredFiles(const std::string& folder)
      : folder_(folder), others_(alternatives_by_picture(list_pictures(folder).files)) {}

  /// Possible goldens, existing or not.
  std::vector<std::string> names_of(const std::string& picture) const {
    std::vector<std::string> names = {picture};
    if (const auto found = others_.find(picture); found != others_.end())
      names.insert(names.end(), found->second.begin(), found->second.end());
    return names;
  }

  bool has(const std::string& name, const std::string& bytes) const {
    const std::string path = (folder_ / name).string();
    std::error_code ignored;
    return fs::file_size(path, ignored) == bytes.size() && InputFile(path).read() == bytes;
  }

 private:
  fs::path folder_;
  std::map<std::string, std::vector<std::string>> others_;  // by picture
};

/// True for an existing plain file or folder.
bool is_plain_file(const std::string& folder, const fs::path& below) {
  std::error_code ignored;
  return !catch_error([&] { check_plain(folder, below); }) && fs::exists(folder / below, ignored);
}

/// Throws Error if the folder in the list cannot be trusted.
std::string listed_golden_folder(const std::string& folder, const std::string& listed) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: its folder of goldens {} {}; name it with --goldens DIR",
                            list_path(folder), roundel::quoted(listed), problem));
  };
  std::error_code error;
  const fs::path path = fs::canonical(fs::path(folder) / listed, error);
  if (error || !fs::is_directory(path, error)) refuse("does not exist");
  if (!is_within(path.string(), ".")) refuse("is not in the working directory");
  if (!has_golden_lock(path.string())) refuse(fmt::format("has no {}", kLockName));
  return fs::proximate(path, error).string();
}

/// Throws Error if the bytes are not a sound PNG or EXR, as `name` requires; with `decodes` false
/// checks only the format.
void check_sound(const std::string& name, const std::string& path, const std::string& bytes,
                 bool decodes = true) {
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

/// A picture that a run has left. Throws Error if it is not a sound PNG or EXR.
std::string sound_picture(const AcceptableGoldens& goldens, const std::string& name) {
  check_plain(goldens.folder, fs::path("actual") / name);
  const std::string path = actual_of(goldens.folder, name);
  std::string bytes = InputFile(path).read();
  check_sound(name, path, bytes);
  return bytes;
}

/// Throws Error for a golden that was not fetched, which would be replaced unseen.
void check_golden_is_fetched(const AcceptableGoldens& goldens, const std::string& name) {
  const std::string path = (fs::path(goldens.golden_folder) / name).string();
  if (is_lfs_pointer(path)) check_no_lfs_pointer(path, InputFile(path).read());
}

bool has_golden_picture(const AcceptableGoldens& goldens, const std::string& name) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(fs::path(goldens.golden_folder) / name, ignored));
}

Accepted store_golden(const AcceptableGoldens& goldens, const std::string& bytes,
                      const std::string& name) {
  check_plain(goldens.golden_folder, name);
  check_golden_is_fetched(goldens, name);
  const std::string golden = (fs::path(goldens.golden_folder) / name).string();
  std::error_code ignored;
  const bool exists = fs::exists(golden, ignored);
  if (exists && InputFile(golden).read() == bytes) return Accepted::kAlready;
  make_folder_of(golden);
  write_text_atomically(golden, bytes);
  return exists ? Accepted::kReplaced : Accepted::kStored;
}

}  // namespace

PendingGoldens::PendingGoldens(std::string folder, std::string golden_folder,
                               std::vector<std::string> names, Others others)
    : folder_(std::move(folder)),
      golden_folder_(std::move(golden_folder)),
      names_(std::move(names)) {
  remove_leftover_files(folder_);
  if (!has_pending(folder_)) return;
  if (const auto error = catch_error([&] { remove_leftovers(others); }))
    leftover_problem_ = error->what();
}

/// Removes the listed plain files, and temporary files beside them.
void PendingGoldens::remove_leftovers(Others others) {
  const PendingList list = read_list(folder_);
  const std::set<std::string> own(names_.begin(), names_.end());
  std::error_code ignored;
  const bool keeps =
      others == Others::kKeep &&
      fs::equivalent(fs::path(folder_) / list.golden_folder, golden_folder_, ignored);
  const GoldenLock lock = read_golden_lock(golden_folder_);
  const StoredFiles goldens(golden_folder_);
  const auto is_golden = [&](const std::string& name) {
    const std::string path = actual_path(name), bytes = InputFile(path).read();
    const std::vector<std::string> stored = goldens.names_of(name);
    if (std::any_of(stored.begin(), stored.end(),
                    [&](const std::string& golden) { return goldens.has(golden, bytes); }))
      return true;
    const auto locked = lock.find(name);
    std::string hash;
    if (locked != lock.end()) catch_error([&] { hash = pixel_hash(read_picture(path)); });
    return locked != lock.end() && hash == locked->second.pixels;
  };
  std::set<fs::path> folders;
  for (const std::string& name : list.names) {
    const fs::path actual = fs::path("actual") / name, diff = fs::path("diff") / diff_name(name);
    const bool is_of_earlier_run = own.count(name) == 0 && list.is_complete(name) &&
                                   is_plain_file(folder_, actual) && !is_golden(name);
    if (is_of_earlier_run) (keeps ? kept_before_ : removed_).push_back(name);
    if (is_of_earlier_run && keeps) continue;
    for (const fs::path& below : {actual, diff}) {
      if (!is_plain_file(folder_, below)) continue;
      fs::remove(folder_ / below, ignored);
      folders.insert((folder_ / below).parent_path());
    }
  }
  for (const fs::path& written_to : folders) remove_leftover_files(written_to.string());
  std::sort(kept_before_.begin(), kept_before_.end());
  std::sort(removed_.begin(), removed_.end());
  has_list_ = !kept_before_.empty();
  if (has_list_) return write_list({}, {}, true);
  fs::remove(list_path(folder_), ignored);
}

std::string PendingGoldens::actual_path(const std::string& name) const {
  return actual_of(folder_, name);
}

std::string PendingGoldens::diff_path(const std::string& name) const {
  return (fs::path(folder_) / "diff" / diff_name(name)).string();
}

void PendingGoldens::keep_actual(const std::string& name, const Image& image,
                                 const ImageMetadata& metadata) {
  keep("actual/" + name, image, metadata);
}

void PendingGoldens::keep_actual(const std::string& name, std::span<const std::uint8_t> file) {
  write_file_atomically(prepare("actual/" + name), file);
}

void PendingGoldens::keep_diff(const std::string& name, const Image& image) {
  keep("diff/" + diff_name(name), image, {kSoftware, "", 0, 0});
}

void PendingGoldens::keep(const std::string& below, const Image& image,
                          const ImageMetadata& metadata) {
  write_png(prepare(below), image, metadata);
}

void PendingGoldens::copy_actual(const std::string& name, const std::string& path) {
  copy("actual/" + name, name, path);
}

void PendingGoldens::copy_diff(const std::string& name, const std::string& path) {
  copy("diff/" + diff_name(name), diff_name(name), path);
}

void PendingGoldens::copy(const std::string& below, const std::string& name,
                          const std::string& path) {
  if (!is_acceptable(name))
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{}: expected the name of a PNG or EXR file in the folder of goldens, got {}",
                    path, roundel::quoted(name)));
  const std::string bytes = InputFile(path).read();
  check_sound(name, path, bytes, false);
  write_text_atomically(prepare(below), bytes);
}

std::string PendingGoldens::prepare(const std::string& below) {
  std::string path = (fs::path(folder_) / below).string();
  check_plain(folder_, below);
  make_folder_of(path);
  std::call_once(listed_, [this] {
    write_list(names_, {}, false);
    has_list_ = true;
  });
  return path;
}

void PendingGoldens::finish(const std::vector<std::string>& names,
                            const std::vector<std::string>& unused) {
  if (!names.empty() || !unused.empty() || !kept_before_.empty())
    return write_list(names, unused, true);
  if (!has_list_) return;
  std::error_code ignored;
  fs::remove(list_path(folder_), ignored);
}

void PendingGoldens::write_list(const std::vector<std::string>& names,
                                const std::vector<std::string>& unused, bool is_finished) const {
  // Relative, so that it is right in another checkout, too.
  std::error_code error;
  const fs::path relative = fs::relative(golden_folder_, folder_, error);
  nlohmann::ordered_json list = {{"version", kListVersion}};
  list["goldens"] = (relative.empty() ? fs::absolute(golden_folder_, error) : relative).string();
  std::vector<std::string> all = names;
  all.insert(all.end(), kept_before_.begin(), kept_before_.end());
  if (!is_finished) list["finished"] = false, list["earlier"] = kept_before_;
  list["names"] = all;
  if (!unused.empty()) list["unused"] = unused;
  const std::string text =
      list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  check_plain(folder_, kListName);
  make_folder_of(list_path(folder_));
  write_text_atomically(list_path(folder_), text);
}

// The list is an ordinary file, and accepting writes to its paths.
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

bool has_pending(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(list_path(folder), ignored));
}

AcceptableGoldens read_pending(const std::string& folder,
                               const std::optional<std::string>& golden_folder) {
  const PendingList list = read_list(folder);
  if (!list.is_finished) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: the run did not finish; run \"roundel regress\" again",
                            list_path(folder)));
  }
  std::error_code ignored;
  if (golden_folder && !fs::is_directory(*golden_folder, ignored)) {
    throw Error(ExitCode::kUsage, fmt::format("--goldens: expected a folder, got {}",
                                              roundel::quoted(*golden_folder)));
  }
  const std::string goldens =
      golden_folder ? *golden_folder : listed_golden_folder(folder, list.golden_folder);
  return {folder, goldens, list.names, list.unused};
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

Accepted accept_golden(const AcceptableGoldens& goldens, const std::string& name) {
  return store_golden(goldens, sound_picture(goldens, name), name);
}

Accepted lock_golden(AcceptableGoldens& goldens, const std::string& name) {
  sound_picture(goldens, name);
  check_golden_is_fetched(goldens, name);
  const Picture picture = read_picture(actual_of(goldens.folder, name));
  if (!picture.metadata || !is_fingerprint(picture.metadata->fingerprint))
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format(
            "{}: expected the fingerprint of its scene (32 digits), which goldens.lock keeps",
            actual_of(goldens.folder, name)));
  LockedGolden golden{pixel_hash(picture), picture.metadata->fingerprint, picture.metadata->frame};
  LockedGolden& locked = goldens.lock[name];
  const Accepted accepted = locked.pixels.empty() ? Accepted::kStored : Accepted::kReplaced;
  const bool is_equal = locked.pixels == golden.pixels && locked.frame == golden.frame &&
                        locked.fingerprint == golden.fingerprint;
  locked = std::move(golden);
  return is_equal && !has_golden_picture(goldens, name) ? Accepted::kAlready : accepted;
}

bool is_locked(const AcceptableGoldens& goldens, const std::string& name) {
  return goldens.lock.count(name) > 0 && !has_golden_picture(goldens, name);
}

void write_lock(const AcceptableGoldens& goldens) {
  check_plain(goldens.golden_folder, kLockName);
  write_golden_lock(goldens.golden_folder, goldens.lock);
}

std::pair<Accepted, std::string> add_golden(const AcceptableGoldens& goldens,
                                            const std::string& name) {
  const std::string bytes = sound_picture(goldens, name);
  const fs::path folder = goldens.golden_folder;
  const StoredFiles stored(goldens.golden_folder);
  for (const std::string& golden : stored.names_of(name)) {
    check_plain(folder, golden);
    check_golden_is_fetched(goldens, golden);
    if (stored.has(golden, bytes)) return {Accepted::kAlready, golden};
  }
  std::string free = name;
  std::error_code ignored;
  const bool is_beside_hash = is_locked(goldens, name);
  for (int number = 1;
       (is_beside_hash && free == name) || fs::exists(fs::symlink_status(folder / free, ignored));
       ++number)
    free = alternative_name(name, number);
  return {store_golden(goldens, bytes, free), free};
}

bool remove_golden(const AcceptableGoldens& goldens, const std::string& name) {
  check_plain(goldens.golden_folder, name);
  const fs::path golden = fs::path(goldens.golden_folder) / name;
  std::error_code error;
  const bool is_removed = fs::remove(golden, error);
  if (error)
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: cannot remove: {}", golden.string(), error.message()));
  return is_removed;
}

}  // namespace roundel
