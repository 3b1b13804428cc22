#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/atomic_file.h"
#include "renderer/compare/golden_lock.h"

namespace roundel {

struct AcceptableGoldens {
  std::string folder;         ///< folder of pending pictures
  std::string golden_folder;  ///< may be missing, to be made
  bool stores = true;         ///< false: nothing is written or removed, only reported
  GoldenLock lock = {};       ///< read by the holder of a FolderClaim
  std::vector<std::unique_ptr<AtomicFile>> written = {};  ///< without names yet, open
  FileSystems file_systems = {};                          ///< places of the written files
};

/// Returns the folder of goldens that an entry of FOLDER/pending lists. Throws Error(kUsage) unless
/// it is in the working directory and has a goldens.lock or is missing, since the list may come
/// from another machine or person.
std::string trusted_golden_folder(const std::string& folder, const std::string& name,
                                  const std::string& listed);

/// Throws Error(kUsage) unless the folder exists, or is missing in the working directory.
void check_golden_folder(const std::string& folder);
/// Makes a missing folder that passes that check.
void make_golden_folder(const std::string& folder);

enum class Accepted {
  kAlready,  ///< unchanged: the golden has these bytes
  kReplaced,
  kStored,  ///< without an earlier golden
};
/// Writes the pending picture, a sound PNG or EXR, for commit_goldens(); makes a film's folder.
/// Throws Error, also for links in the paths and for a Git LFS pointer.
Accepted accept_golden(AcceptableGoldens& goldens, const std::string& name);
/// Writes the pending picture as an alternative golden. Returns its name, or that of a golden with
/// these bytes.
std::pair<Accepted, std::string> add_golden(AcceptableGoldens& goldens, const std::string& name);
/// Makes the written pictures goldens, each in one step: also after a power cut a golden is
/// complete, the old one or the new one. Waits twice for the disk, however many there are. Throws
/// Error with all problems.
void commit_goldens(AcceptableGoldens& goldens);
/// Makes the hash of the pending picture, or of the golden itself, the golden, for write_lock(). A
/// golden picture stays until remove_golden().
Accepted lock_golden(AcceptableGoldens& goldens, const std::string& name, bool is_pending);
bool is_locked(const AcceptableGoldens& goldens, const std::string& name);
void write_lock(const AcceptableGoldens& goldens);

/// False if it does not exist. Throws Error if it cannot be removed, or if a link is on its path.
bool remove_golden(const AcceptableGoldens& goldens, const std::string& name);

}  // namespace roundel
