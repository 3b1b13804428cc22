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

/// Folder in which a run leaves the pictures that may become goldens, for people to review and
/// accept:
///
///   FOLDER/actual/NAME    the drawn picture
///   FOLDER/diff/NAME      its differences from the golden
///   FOLDER/pending.json   names of the pictures, the folder of goldens relative to FOLDER, and
///                         the unused goldens
///
/// A process that writes to FOLDER has a FolderClaim on it.
///
/// Files in FOLDER may belong to others: links below it are not followed, and only files in a list
/// that Roundel wrote are removed.
///
/// All functions throw Error(kOutputRefused) or Error(kRuntimeFailure) if a file cannot be written.
class PendingGoldens {
 public:
  /// Treatment of an earlier run's pictures for the same goldens that are not in `names`. All other
  /// files of an earlier run are removed, even if it was killed.
  enum class Others { kRemove, kKeep };
  /// `names`: all pictures that may be kept.
  PendingGoldens(std::string folder, std::string golden_folder, std::vector<std::string> names,
                 Others others = Others::kRemove);

  /// Names of the earlier run's pictures that stay, to be accepted with those of this run.
  const std::vector<std::string>& kept_before() const { return kept_before_; }
  /// Names of removed pictures that this run does not draw.
  const std::vector<std::string>& removed() const { return removed_; }

  /// Why an earlier run's files could not be removed; empty: no problem.
  const std::string& leftover_problem() const { return leftover_problem_; }
  const std::string& folder() const { return folder_; }
  std::string actual_path(const std::string& name) const;
  std::string diff_path(const std::string& name) const;

  /// Keeps a drawn picture under the name of its golden. Thread-safe.
  void keep_actual(const std::string& name, const Image& image, const ImageMetadata& metadata);
  /// Keeps a picture from a file's bytes.
  void keep_actual(const std::string& name, std::span<const std::uint8_t> file);
  void keep_diff(const std::string& name, const Image& image);
  /// Copy files of another run. Throw Error(kInvalidScene) for a name that is not a golden's.
  void copy_actual(const std::string& name, const std::string& path);
  void copy_diff(const std::string& name, const std::string& path);
  /// Writes the list of kept pictures and unused goldens, which can then be accepted and pruned.
  void finish(const std::vector<std::string>& names, const std::vector<std::string>& unused);

 private:
  void keep(const std::string& below, const Image& image, const ImageMetadata& metadata);
  void copy(const std::string& below, const std::string& name, const std::string& path);
  void remove_leftovers(Others others);
  /// Returns the path of a file to write, in a folder that exists.
  std::string prepare(const std::string& below);
  void write_list(const std::vector<std::string>& names, const std::vector<std::string>& unused,
                  bool is_finished) const;

  std::string folder_, golden_folder_, leftover_problem_;
  std::vector<std::string> names_, kept_before_, removed_;
  std::once_flag listed_;  // before the first picture, so that a killed run leaves only listed ones
  bool has_list_ = false;
};

/// Pictures that a run has left, to accept.
struct AcceptableGoldens {
  std::string folder;         ///< the run's
  std::string golden_folder;  ///< exists
  std::vector<std::string> names;
  std::vector<std::string> unused;  ///< goldens without a picture
  GoldenLock lock = {};             ///< read by the holder of a FolderClaim
};

/// True for names of pictures that accept may store: PNG and EXR files, inside the goldens' folder,
/// in UTF-8, since JSON needs it.
bool is_acceptable(const std::string& name);

/// Returns why this file is not a sound PNG or EXR, as the golden's name requires. Empty if it is,
/// if it cannot be read, or if is_acceptable() refuses the name: keeping it reports these.
/// `was_decoded`: by a comparison, so that only the format is checked.
std::string fault_of(const std::string& name, const std::string& path, bool was_decoded);

/// True if a run has left a list of pictures, valid or not.
bool has_pending(const std::string& folder);

/// Reads that list. Goldens go to `golden_folder`. By default they go to the folder in the list if
/// it is in the working directory and has a goldens.lock, since the list may come from another
/// machine or person. Leaves the lock to the holder of a FolderClaim. Throws Error(kInvalidScene)
/// if the folder has no list, or that of an unfinished run; Error(kUsage) if the folder of goldens
/// is missing or must be named.
AcceptableGoldens read_pending(const std::string& folder,
                               const std::optional<std::string>& golden_folder);

/// True if `path` is `folder` or inside it, with links resolved.
bool lies_in(const std::string& path, const std::string& folder);

/// Returns the first of these files, possibly thousands, that lies in `folder`.
std::optional<std::string> find_file_in(const std::vector<std::string>& files,
                                        const std::string& folder);

/// Returns the names that a person means by `text`: a name or a pattern as in a manifest, both with
/// or without the extension. Empty if there is none.
std::vector<std::string> names_meant(const std::string& text,
                                     const std::vector<std::string>& names);

enum class Accepted {
  kAlready,   ///< the golden has these bytes: unchanged
  kReplaced,  ///< replaced another golden
  kStored,    ///< had no golden
};
/// Makes this picture, a sound PNG, the golden, in one step; makes a film's folder. Throws Error,
/// the golden unchanged, also if the path to either file has a link or the golden is a Git LFS
/// pointer.
Accepted accept_golden(const AcceptableGoldens& goldens, const std::string& name);
/// Adds the picture as an alternative golden. Returns the new golden's name, or that of an existing
/// golden with these bytes.
std::pair<Accepted, std::string> add_golden(const AcceptableGoldens& goldens,
                                            const std::string& name);
/// Stores the picture's hash in `goldens.lock`, which write_lock() writes, as the golden. A golden
/// that is a picture stays until remove_golden() removes it.
Accepted lock_golden(AcceptableGoldens& goldens, const std::string& name);
/// True if this golden is a hash.
bool is_locked(const AcceptableGoldens& goldens, const std::string& name);
void write_lock(const AcceptableGoldens& goldens);

/// Removes a golden; false if it does not exist. Throws Error if it cannot be removed, or if a link
/// is on its path.
bool remove_golden(const AcceptableGoldens& goldens, const std::string& name);

}  // namespace roundel
