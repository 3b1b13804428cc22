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

/// How to write to a name that is not a regular file.
enum class OverwriteRule {
  /// Keeps a symbolic link and replaces or creates its target. Pipes and devices get the bytes.
  kFollow,
  /// Replaces a symbolic link; refuses pipes and devices. For frames, which must not overwrite each
  /// other.
  kReplace,
  /// Never replaces a file, even one that appears meanwhile: ExitCode::kOutputRefused.
  kRefuse,
};

/// When bytes and name are on the disk, safe from a power cut.
enum class Sync {
  kNow,  ///< the bytes before the name appears, the name when commit() returns
  /// After FileSystems::sync(), one wait for many files. Without it a power cut may leave an empty
  /// file, which is harmless for files that are easily made again.
  kLater
};

/// Writes a temporary file and renames it: a failure, a crash or a power cut leaves `path` as it
/// was. Throws Error(kOutputRefused) if the directory is missing or not writable,
/// Error(kRuntimeFailure) if writing fails (disk full). A replaced file passes on its mode and, if
/// permitted, owner and group; its other hard links keep the old file.
void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes,
                           OverwriteRule rule = OverwriteRule::kFollow, Sync sync = Sync::kNow);
void write_text_atomically(const std::string& path, std::string_view text, Sync sync = Sync::kNow);

/// Writes all bytes; waits for a full pipe even if it is non-blocking. Returns 0 or errno.
int write_to_descriptor(int descriptor, std::span<const std::uint8_t> bytes);

/// Target of a symbolic link, existing or not; `path` for all others.
std::string link_target(const std::string& path);

/// Tests the system calls for writing `path` on an empty file in its folder. Throws
/// Error(kOutputRefused) with folder and failing call, for example on a file system without
/// renames. Ignores pipes and devices.
void check_renames(const std::string& path, OverwriteRule rule);

/// Removes temporary files of killed processes from a folder ("" is the working directory), except
/// files that a process on any machine is writing. Reads at most `max_names` names. Never throws.
void remove_leftover_files(
    const std::string& folder,
    std::size_t max_names = std::numeric_limits<std::size_t>::max()) noexcept;

/// File systems with files of `Sync::kLater`.
class FileSystems {
 public:
  FileSystems() = default;
  ~FileSystems();
  FileSystems(const FileSystems&) = delete;
  FileSystems& operator=(const FileSystems&) = delete;

  /// Adds a folder's file system ("" is the working directory), if it can be opened. Call it early:
  /// sync() reports disk errors since then.
  void add(const std::string& folder);
  /// Waits until everything is on the disk. Throws Error(kRuntimeFailure) with folder and reason.
  void sync() const;

 private:
  struct Opened {
    int descriptor;
    std::string folder;
  };
  std::map<dev_t, Opened> opened_;
  std::optional<std::string> last_added_;
};

/// Removes open temporary files and empty new folders, for handlers of SIGINT and SIGTERM that then
/// end the process: async-signal-safe. Threads that begin another file wait for that end.
void remove_temporary_files() noexcept;

}  // namespace roundel
