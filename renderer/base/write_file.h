#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace roundel {

/// What happens where a name is taken by something else than a regular file.
enum class TakenName {
  /// A symbolic link stays, and the file it stands for is replaced, or made where it is missing. A
  /// pipe or a device gets the bytes.
  kFollow,
  /// A symbolic link is replaced by the file; a pipe or a device is an error. For frames, of which
  /// none may be written over another.
  kReplace,
  /// Nothing is replaced, not even what comes while the file is being written: an error, of
  /// ExitCode::kOutputRefused.
  kRefuse,
};

/// When a file's bytes and name are on the disk, where a power cut does not lose them.
enum class Sync {
  kNow,   ///< the bytes before the name appears, and the name when commit() returns
  kLater  ///< after FileSystems::sync(), which is one wait for many files
};

/// Writes a temporary file next to `path`, then renames it: after a failure, a crash or a power cut
/// `path` is as it was before. Returns once bytes and name are on the
/// disk, with Sync::kNow. Throws
/// Error(kOutputRefused) where the directory is missing or not writable, Error(kRuntimeFailure)
/// where writing failed (disk full), naming path and reason. A file that is replaced leaves its
/// mode to the new one and, where the system permits it, owner and group; its other hard links keep
/// the old file.
void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes,
                           TakenName rule = TakenName::kFollow, Sync sync = Sync::kNow);
void write_text_atomically(const std::string& path, std::string_view text);

/// Writes all of this into a descriptor, and waits for a pipe that is full even where writing to it
/// does not. 0, or errno of what failed.
int write_to_descriptor(int descriptor, std::span<const std::uint8_t> bytes);

/// The file that a symbolic link stands for, whether it is there or not; `path` for all others.
std::string behind_links(const std::string& path);

/// Gives a name to an empty file in the folder of `path`, by the system calls that writing `path`
/// makes, and removes it. Throws Error(kOutputRefused) with the folder and the call that fails, as
/// on a file system without renames. A pipe or a device at `path` needs none of this.
void check_takes_names(const std::string& path, TakenName rule);

/// Removes temporary files that a killed process has left in a folder ("" is the working
/// directory). Files that another process, on whatever machine, is writing at this moment stay.
/// Looks at `max_names` names at most. Never throws: what cannot be removed stays.
void remove_leftover_files(
    const std::string& folder,
    std::size_t max_names = std::numeric_limits<std::size_t>::max()) noexcept;

/// File systems on which files were written without waiting for the disk (`Sync::kLater`).
class FileSystems {
 public:
  FileSystems() = default;
  ~FileSystems();
  FileSystems(const FileSystems&) = delete;
  FileSystems& operator=(const FileSystems&) = delete;

  /// Adds the one that has this folder ("" is the working directory). Folders that cannot be opened
  /// are ignored. To be called early: sync() reports errors of the disk that come later.
  void add(const std::string& folder);
  /// Waits until all that was written is on the disk. Throws Error(kRuntimeFailure) with the folder
  /// and the reason.
  void sync() const;

 private:
  struct Opened {
    int descriptor;
    std::string folder;
  };
  std::map<dev_t, Opened> opened_;
  std::optional<std::string> last_added_;
};

/// Removes the temporary files that write_file_atomically has open at this moment, and new folders
/// that are empty. For the handlers of SIGINT and SIGTERM, before they end the process:
/// async-signal-safe. Threads that want to write another file from then on wait for that end.
void remove_temporary_files() noexcept;

}  // namespace roundel
