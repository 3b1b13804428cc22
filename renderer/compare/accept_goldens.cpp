#include "renderer/compare/accept_goldens.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/compare/stored_goldens.h"
#include "renderer/image/files.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

class GoldenFiles {
 public:
  explicit GoldenFiles(const std::string& folder)
      : folder_(folder), others_(alternatives_by_picture(golden_pictures(folder))) {}

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

std::string actual_of(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / "actual" / name).string();
}

/// A picture that a run has left. Throws Error if it is not a sound PNG or EXR.
std::string sound_picture(const AcceptableGoldens& goldens, const std::string& name) {
  check_plain(goldens.folder, fs::path("actual") / name);
  const std::string path = actual_of(goldens.folder, name);
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw Error(ExitCode::kInvalidScene,
                path + ": the run did not finish; run \"roundel regress\" again");
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

Accepted store_golden(AcceptableGoldens& goldens, const std::string& bytes,
                      const std::string& name) {
  check_plain(goldens.golden_folder, name);
  check_golden_is_fetched(goldens, name);
  const std::string golden = (fs::path(goldens.golden_folder) / name).string();
  std::error_code ignored;
  const bool exists = fs::exists(golden, ignored);
  if (exists && InputFile(golden).read() == bytes) return Accepted::kAlready;
  if (goldens.stores) {
    make_folder_of(golden);
    goldens.file_systems.add(fs::path(golden).parent_path().string());
    auto file = std::make_unique<AtomicFile>(golden);
    file->write({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    goldens.written.push_back(std::move(file));
  }
  return exists ? Accepted::kReplaced : Accepted::kStored;
}

}  // namespace

std::string trusted_golden_folder(const std::string& folder, const std::string& name,
                                  const std::string& listed) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: its folder of goldens {} {}; name it with "
                            "--goldens DIR",
                            (fs::path(folder) / "pending" / (name + ".json")).string(),
                            roundel::quoted(listed), problem));
  };
  std::error_code error;
  const fs::path path = canonical_folder(fs::path(folder) / listed);
  if (path.empty() || !is_within(path.string(), ".")) refuse("is not in the working directory");
  if (fs::exists(path, error)) {
    if (!fs::is_directory(path, error)) refuse("is not a folder");
    if (!has_golden_lock(path.string())) refuse(fmt::format("has no {}", kLockName));
  }
  return fs::proximate(path, error).string();
}

void check_golden_folder(const std::string& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  if (fs::exists(fs::symlink_status(folder, ignored)) || !is_within(folder, "."))
    throw Error(ExitCode::kUsage, fmt::format("--goldens: expected a folder, got {}; make it with "
                                              "mkdir",
                                              roundel::quoted(folder)));
}

void make_golden_folder(const std::string& folder) {
  std::error_code ignored;
  check_golden_folder(folder);
  if (fs::is_directory(folder, ignored)) return;
  make_folder_of((fs::path(folder) / kLockName).string());
  confirm_golden_folder(folder);
}

Accepted accept_golden(AcceptableGoldens& goldens, const std::string& name) {
  return store_golden(goldens, sound_picture(goldens, name), name);
}

void commit_goldens(AcceptableGoldens& goldens) {
  const auto written = std::exchange(goldens.written, {});
  if (written.empty()) return;
  constexpr std::size_t kFew = 4;  // waiting for the whole file system takes longer
  const bool are_few = written.size() <= kFew;
  if (!are_few) goldens.file_systems.sync();  // the bytes, before the names appear
  Lines problems;
  for (const auto& file : written)
    if (const auto error = catch_error([&] { file->commit(are_few ? Sync::kNow : Sync::kLater); }))
      problems += error->lines();
  if (!are_few) goldens.file_systems.sync();
  if (!problems.empty()) throw Error(ExitCode::kOutputRefused, problems);
}

Accepted lock_golden(AcceptableGoldens& goldens, const std::string& name, bool is_pending) {
  if (is_pending)
    sound_picture(goldens, name);
  else if (!has_golden_picture(goldens, name))
    return Accepted::kAlready;
  check_plain(goldens.golden_folder, name);
  check_golden_is_fetched(goldens, name);
  const std::string path = is_pending ? actual_of(goldens.folder, name)
                                      : (fs::path(goldens.golden_folder) / name).string();
  const Picture picture = read_picture(path);
  if (!picture.metadata || !is_fingerprint(picture.metadata->fingerprint))
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format(
            "{}: expected the fingerprint of its scene (32 digits), which goldens.lock keeps",
            path));
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
  if (!goldens.stores) return;
  check_plain(goldens.golden_folder, kLockName);
  write_golden_lock(goldens.golden_folder, goldens.lock);
}

std::pair<Accepted, std::string> add_golden(AcceptableGoldens& goldens, const std::string& name) {
  const std::string bytes = sound_picture(goldens, name);
  const fs::path folder = goldens.golden_folder;
  const GoldenFiles stored(goldens.golden_folder);
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
  if (!goldens.stores) return fs::exists(fs::symlink_status(golden, error));
  const bool is_removed = fs::remove(golden, error);
  if (error)
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: cannot remove: {}", golden.string(), error.message()));
  return is_removed;
}

}  // namespace roundel
