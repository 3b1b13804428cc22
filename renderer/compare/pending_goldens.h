#pragma once
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// Folder in which a run leaves pictures that may become goldens, to review and accept:
///
///   FOLDER/actual/NAME    the drawn picture
///   FOLDER/diff/NAME      its differences from the golden
///   FOLDER/pending.json   names of the pictures, the folder of goldens relative to FOLDER, and
///                         the unused goldens
///
/// A process that writes to FOLDER has a FolderClaim on it.
///
/// Files in FOLDER may belong to others: links below it are not followed, and only files in
/// Roundel's lists are removed.
///
/// All functions throw Error(kOutputRefused) or Error(kRuntimeFailure) if a file cannot be written.
class PendingGoldens {
 public:
  /// Treatment of an earlier run's pictures for the same goldens that are not in `names`. Its other
  /// files are removed, even if it was killed.
  enum class Others { kRemove, kKeep };
  /// `names`: all pictures that may be kept.
  PendingGoldens(std::string folder, std::string golden_folder, std::vector<std::string> names,
                 Others others = Others::kRemove);

  /// Pictures of the earlier run that stay, to be accepted with this run's.
  const std::vector<std::string>& kept_rows_before() const { return kept_before_; }
  /// Removed pictures that this run does not draw.
  const std::vector<std::string>& removed() const { return removed_; }

  /// Why an earlier run's files could not be removed; may be empty.
  const std::string& leftover_problem() const { return leftover_problem_; }
  const std::string& folder() const { return folder_; }
  std::string actual_path(const std::string& name) const;
  std::string diff_path(const std::string& name) const;

  /// Thread-safe.
  void keep_actual(const std::string& name, const Image& image, const ImageMetadata& metadata);
  void keep_actual(const std::string& name, std::span<const std::uint8_t> file);
  void keep_diff(const std::string& name, const Image& image);
  /// Copy another run's files. Throw Error(kInvalidScene) for a name that is not a golden's.
  void copy_actual(const std::string& name, const std::string& path);
  void copy_diff(const std::string& name, const std::string& path);
  /// Lists the kept pictures and unused goldens, which can then be accepted and pruned.
  void finish(const std::vector<std::string>& names, const std::vector<std::string>& unused);

 private:
  void keep(const std::string& below, const Image& image, const ImageMetadata& metadata);
  void copy(const std::string& below, const std::string& name, const std::string& path);
  void remove_leftovers(Others others);
  /// Makes the folder and returns the path of a file to write.
  std::string prepare(const std::string& below);
  void write_list(const std::vector<std::string>& names, const std::vector<std::string>& unused,
                  bool is_finished) const;

  std::string folder_, golden_folder_, leftover_problem_;
  std::vector<std::string> names_, kept_before_, removed_;
  std::once_flag listed_;  // before the first picture, so that a killed run leaves listed ones only
  bool has_list_ = false;
};

struct AcceptableGoldens {
  std::string folder;
  std::string golden_folder;  ///< exists
  std::vector<std::string> names;
  std::vector<std::string> unused;  ///< without a picture
  GoldenLock lock = {};             ///< read by the holder of a FolderClaim
};

/// True for PNG and EXR files inside the goldens' folder with names in UTF-8, which JSON needs.
bool is_acceptable(const std::string& name);

/// Returns why this file is not a sound PNG or EXR, as its name requires. Empty if it is, if it
/// cannot be read, or if is_acceptable() refuses the name: keeping it reports these. `was_decoded`:
/// by a comparison, so that only the format is checked.
std::string fault_of(const std::string& name, const std::string& path, bool was_decoded);

/// Whether the list is valid or not.
bool has_pending(const std::string& folder);

/// Reads that list. `golden_folder` defaults to the folder in the list, which must be in the
/// working directory and have a goldens.lock, since the list may come from another machine or
/// person. Leaves the lock to the holder of a FolderClaim. Throws Error(kInvalidScene) if the
/// folder has no list, or that of an unfinished run; Error(kUsage) if the folder of goldens is
/// missing or must be named.
AcceptableGoldens read_pending(const std::string& folder,
                               const std::optional<std::string>& golden_folder);

/// True if `path` is `folder` or inside it, with links resolved.
bool is_within(const std::string& path, const std::string& folder);

/// Returns the first of possibly thousands of files that lies in `folder`.
std::optional<std::string> find_file_in(const std::vector<std::string>& files,
                                        const std::string& folder);

/// Returns the names that `text` means: a name or a pattern as in a manifest, with or without
/// extension.
std::vector<std::string> matching_names(const std::string& text,
                                        const std::vector<std::string>& names);

enum class Accepted {
  kAlready,  ///< unchanged: the golden has these bytes
  kReplaced,
  kStored,  ///< without an earlier golden
};
/// Makes this picture, a sound PNG, the golden, in one step; makes a film's folder. Throws Error,
/// with the golden unchanged, also for links in the paths and for a Git LFS pointer.
Accepted accept_golden(const AcceptableGoldens& goldens, const std::string& name);
/// Adds an alternative golden. Returns its name, or that of a golden with these bytes.
std::pair<Accepted, std::string> add_golden(const AcceptableGoldens& goldens,
                                            const std::string& name);
/// Makes the picture's hash the golden, for write_lock(). A golden picture stays until
/// remove_golden().
Accepted lock_golden(AcceptableGoldens& goldens, const std::string& name);
bool is_locked(const AcceptableGoldens& goldens, const std::string& name);
void write_lock(const AcceptableGoldens& goldens);

/// False if it does not exist. Throws Error if it cannot be removed, or if a link is on its path.
bool remove_golden(const AcceptableGoldens& goldens, const std::string& name);

}  // namespace roundel
