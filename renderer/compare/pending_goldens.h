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

/// The folder in which a run leaves the pictures that may become goldens, for people to look at and
/// to accept:
///
///   FOLDER/actual/NAME    what was drawn
///   FOLDER/diff/NAME      where it differs from the golden
///   FOLDER/pending.json   which they are, the folder of the goldens, relative to FOLDER, and which
///                         goldens no picture has
///
/// A process that writes to FOLDER has a FolderClaim on it.
///
/// Whatever lies in FOLDER may be somebody else's, or come from elsewhere: links below it are not
/// followed, and only files that a list of ours names are removed.
///
/// All functions throw Error(kOutputRefused) or Error(kRuntimeFailure) where a file cannot be
/// written.
class PendingGoldens {
 public:
  /// Fate of an earlier run's pictures for the same goldens that are not among `names`. Everything
  /// else that an earlier run has left is removed, also if it was killed.
  enum class Others { kRemove, kKeep };
  /// `names`: of the pictures that may be kept, all of them.
  PendingGoldens(std::string folder, std::string golden_folder, std::vector<std::string> names,
                 Others others = Others::kRemove);

  /// Names of the earlier run's pictures that stay, to be accepted with those of this run.
  const std::vector<std::string>& kept_before() const { return kept_before_; }
  /// Names of those that were removed although no picture of this run has them.
  const std::vector<std::string>& removed() const { return removed_; }

  /// Why what an earlier run has left could not be removed; empty: it is, or there was nothing.
  const std::string& leftover_problem() const { return leftover_problem_; }
  const std::string& folder() const { return folder_; }
  std::string actual_path(const std::string& name) const;
  std::string diff_path(const std::string& name) const;

  /// Keeps a picture that was drawn, under the name of its golden; may be called by several threads
  /// at once.
  void keep_actual(const std::string& name, const Image& image, const ImageMetadata& metadata);
  /// The same of a file's bytes.
  void keep_actual(const std::string& name, std::span<const std::uint8_t> file);
  void keep_diff(const std::string& name, const Image& image);
  /// The same for files of another run; throws Error(kInvalidScene) for a name that is no golden's.
  void copy_actual(const std::string& name, const std::string& path);
  void copy_diff(const std::string& name, const std::string& path);
  /// Writes down which pictures were kept, and which goldens are none's: from now on they can be
  /// accepted, and pruned.
  void finish(const std::vector<std::string>& names, const std::vector<std::string>& unused);

 private:
  void keep(const std::string& below, const Image& image, const ImageMetadata& metadata);
  void copy(const std::string& below, const std::string& name, const std::string& path);
  void remove_leftovers(Others others);
  /// The path of a file to be written, in a folder that is there.
  std::string prepare(const std::string& below);
  void write_list(const std::vector<std::string>& names, const std::vector<std::string>& unused,
                  bool is_finished) const;

  std::string folder_, golden_folder_, leftover_problem_;
  std::vector<std::string> names_, kept_before_, removed_;
  std::once_flag listed_;  // before the first picture, so that no kill leaves unlisted ones
  bool has_list_ = false;
};

/// What a run has left, to accept.
struct AcceptableGoldens {
  std::string folder;         ///< of the run
  std::string golden_folder;  ///< an existing one
  std::vector<std::string> names;
  std::vector<std::string> unused;  ///< goldens that no picture has
  GoldenLock lock = {};             ///< of golden_folder, once it is read
};

/// True for the names of pictures that accept may store: of PNG and EXR files, within the goldens'
/// folder, in UTF-8, which JSON can have.
bool is_acceptable(const std::string& name);

/// Why this file is no sound PNG, or EXR, as the golden's name says. Empty where it is one; also
/// where it cannot be read, or is_acceptable() refuses the name: keeping it says so.
/// `was_decoded`: by a comparison, so that only the format is looked at.
std::string fault_of(const std::string& name, const std::string& path, bool was_decoded);

/// True where a run has left a list of pictures, sound or not.
bool has_pending(const std::string& folder);

/// Reads that list. Goldens go to `golden_folder`; without one to the folder that the list names,
/// if it lies in the working directory and has a goldens.lock: the list may come from another
/// machine, or another person. The lock is not read: that is for who has a FolderClaim on it.
/// Throws Error(kInvalidScene) where the folder holds nothing that a run has left, or that of a run
/// which did not come to its end; Error(kUsage) where there is no such folder of goldens, or it
/// must be named.
AcceptableGoldens read_pending(const std::string& folder,
                               const std::optional<std::string>& golden_folder);

/// True where `path` is `folder` or lies below it, once links are resolved.
bool lies_in(const std::string& path, const std::string& folder);

/// The first of these files, of which there may be thousands, that lies in `folder`.
std::optional<std::string> find_file_in(const std::vector<std::string>& files,
                                        const std::string& folder);

/// Those of `names` that a person means: a name as it stands, or a pattern as in a manifest, both
/// with or without the ending. Empty where there is none.
std::vector<std::string> names_meant(const std::string& text,
                                     const std::vector<std::string>& names);

enum class Accepted {
  kAlready,   ///< the golden has these bytes: not touched
  kReplaced,  ///< there was another one
  kStored,    ///< there was none
};
/// Makes the picture of this name, a sound PNG, the golden, in one step; a film's folder is made.
/// Throws Error, the golden as it was, also where a link lies on the way to one of the two, or the
/// golden is a Git LFS pointer.
Accepted accept_golden(const AcceptableGoldens& goldens, const std::string& name);
/// The same, but leaves the goldens that there are, and makes it another one of the picture's.
/// Gives the name of that, or of the golden that has these bytes already.
std::pair<Accepted, std::string> add_golden(const AcceptableGoldens& goldens,
                                            const std::string& name);
/// Makes the picture's hash the golden, in `goldens.lock`, which write_lock() writes. A picture
/// that is the golden stays until then; remove_golden() removes it.
Accepted lock_golden(AcceptableGoldens& goldens, const std::string& name);
/// True where the golden of this name is a hash.
bool is_locked(const AcceptableGoldens& goldens, const std::string& name);
void write_lock(const AcceptableGoldens& goldens);

/// Removes the golden of this name; false where there is none any more. Throws Error where it
/// cannot be removed, or a link lies on the way to it.
bool remove_golden(const AcceptableGoldens& goldens, const std::string& name);

}  // namespace roundel
