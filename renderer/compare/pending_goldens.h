#pragma once
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/image/image.h"

namespace roundel {

/// The folder in which a run leaves the pictures that may become goldens, for people to look at and
/// to accept:
///
///   FOLDER/actual/NAME    what was drawn
///   FOLDER/diff/NAME      where it differs from the golden
///   FOLDER/pending.json   which they are, and the folder of the goldens
///
/// All functions throw Error(kOutputRefused) or Error(kRuntimeFailure) where a file cannot be
/// written.
class PendingGoldens {
 public:
  /// Begins with what an earlier run has left removed.
  PendingGoldens(std::string folder, std::string golden_folder);

  const std::string& folder() const { return folder_; }
  std::string actual_path(const std::string& name) const;
  std::string diff_path(const std::string& name) const;

  /// Keeps a picture that was drawn, under the name of its golden; may be called by several threads
  /// at once.
  void keep_actual(const std::string& name, const Image& image,
                   const ImageMetadata& metadata) const;
  void keep_diff(const std::string& name, const Image& image) const;
  /// Writes down which pictures were kept: from now on they can be accepted.
  void finish(const std::vector<std::string>& names) const;

 private:
  std::string folder_, golden_folder_;
};

/// What a run has left, to accept.
struct AcceptableGoldens {
  std::string folder;         ///< of the run
  std::string golden_folder;  ///< absolute
  std::vector<std::string> names;
};

/// Throws Error(kInvalidScene) where the folder holds nothing that a run has left.
AcceptableGoldens read_pending(const std::string& folder);

/// Those of `names` that a person means: a name as it stands, without its ".png", or a pattern as
/// in a manifest. Empty where there is none.
std::vector<std::string> names_meant(const std::string& text,
                                     const std::vector<std::string>& names);

enum class Accepted {
  kAlready,   ///< the golden has these bytes: not touched
  kReplaced,  ///< there was another one
  kStored,    ///< there was none
};
/// Makes the picture of this name the golden, in one step. Throws Error, the golden as it was.
Accepted accept_golden(const AcceptableGoldens& goldens, const std::string& name);

}  // namespace roundel
