#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// Folder in which runs leave pictures that may become goldens, to review and accept:
///
///   FOLDER/actual/NAME         the drawn picture
///   FOLDER/diff/NAME           its differences from the golden
///   FOLDER/pending/NAME.json   the folder of goldens relative to FOLDER, and whether NAME is an
///                              unused golden
///
/// A run claims its names (NameClaims) and changes only their files, so that several runs may write
/// to FOLDER at once.
///
/// A power cut may lose files of FOLDER, which costs another run: accept stores sound pictures
/// only.
///
/// Files in FOLDER may belong to others: links below it are not followed, and only pictures with a
/// file in FOLDER/pending are removed.
///
/// All functions throw Error(kOutputRefused) or Error(kRuntimeFailure) if a file cannot be written.
class PendingGoldens {
 public:
  /// Treatment of earlier pictures for the same goldens that are not in `names`.
  enum class Others { kRemove, kKeep };
  /// `names`: all pictures that may be kept. Earlier ones are removed. Throws Error(kUsage) if
  /// another run writes one of them, or if one is pending for another folder of goldens.
  PendingGoldens(std::string folder, std::string golden_folder, std::vector<std::string> names,
                 Others others = Others::kRemove);

  /// Pictures of earlier runs that stay, to be accepted with this run's.
  const std::vector<std::string>& kept_rows_before() const { return kept_before_; }
  /// Removed pictures that this run does not draw.
  const std::vector<std::string>& removed() const { return removed_; }

  /// Why files of other runs could not be read; may be empty.
  const std::string& leftover_problem() const { return leftover_problem_; }
  const std::string& folder() const { return folder_; }
  std::string actual_path(const std::string& name) const;
  std::string diff_path(const std::string& name) const;

  /// Thread-safe. The difference comes after the picture.
  void keep_actual(const std::string& name, const Image& image, const ImageMetadata& metadata);
  void keep_actual(const std::string& name, std::span<const std::uint8_t> file);
  void keep_diff(const std::string& name, const Image& image);
  /// Copy another run's files. Throw Error(kInvalidScene) for a name that is not a golden's.
  void copy_actual(const std::string& name, const std::string& path);
  void copy_diff(const std::string& name, const std::string& path);
  /// Lists unused goldens, which can then be pruned.
  void list_unused(const std::vector<std::string>& names) const;

 private:
  void remove_earlier(const std::vector<std::string>& names) const;
  void sort_out_others(const std::vector<std::string>& names, Others others);
  bool is_for_these_goldens(const std::string& listed) const;
  void copy(const std::string& below, const std::string& name, const std::string& path) const;
  /// Makes the folder and returns the path of a file to write.
  std::string prepare(const std::string& below) const;
  /// Lists the picture, then returns its path. A killed run leaves listed pictures only.
  std::string prepare_actual(const std::string& name) const;
  void write_entry(const std::string& name, bool is_unused) const;

  std::string folder_, golden_folder_, leftover_problem_;
  NameClaims claims_;
  std::vector<std::string> kept_before_, removed_;
};

/// An entry of FOLDER/pending.
struct PendingGolden {
  std::string name;
  std::string golden_folder;  ///< relative to FOLDER, as listed; not trustworthy
  bool is_unused = false;     ///< a golden without a picture
};

/// Returns all entries, by name. Throws Error(kInvalidScene) if one is invalid, or if the folder
/// has only the list of an older version.
std::vector<PendingGolden> read_pending(const std::string& folder);
/// Returns false if the entry has gone, or is now of the other kind.
bool is_pending(const std::string& folder, const std::string& name, bool is_unused);

/// Removes the pictures that have entries, then the entries; those that cannot be removed stay.
void remove_pending(const std::string& folder, const std::vector<std::string>& names);

/// True for PNG and EXR files inside the goldens' folder with names in UTF-8, which JSON needs.
bool is_acceptable(const std::string& name);

/// Returns why this file is not a sound PNG or EXR, as its name requires. Empty if it is, if it
/// cannot be read, or if is_acceptable() refuses the name: keeping it reports these. `was_decoded`:
/// by a comparison, so that only the format is checked.
std::string fault_of(const std::string& name, const std::string& path, bool was_decoded);
/// Throws Error if the bytes are not a sound PNG or EXR, as `name` requires; with `decodes` false
/// checks only the format.
void check_sound(const std::string& name, const std::string& path, const std::string& bytes,
                 bool decodes = true);

/// Throws Error(kOutputRefused) if FOLDER/BELOW, or a part of the path, exists and is not a plain
/// file, or folder if it ends with a slash: a link could lead anywhere, a FIFO blocks its writer.
void check_plain(const std::filesystem::path& folder, const std::filesystem::path& below);
void make_folder_of(const std::string& path);
/// Absolute, with links resolved, and without a last slash; parts may be missing.
std::filesystem::path canonical_folder(const std::filesystem::path& folder);

/// True if `path` is `folder` or inside it, with links resolved.
bool is_within(const std::string& path, const std::string& folder);

/// Returns the first of possibly thousands of files that lies in `folder`.
std::optional<std::string> find_file_in(const std::vector<std::string>& files,
                                        const std::string& folder);

/// Returns the names that `text` means: a name or a pattern as in a manifest, with or without
/// extension.
std::vector<std::string> matching_names(const std::string& text,
                                        const std::vector<std::string>& names);

}  // namespace roundel
