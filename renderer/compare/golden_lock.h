#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "renderer/compare/picture.h"

namespace roundel {

/// Stored instead of a golden's picture.
struct LockedGolden {
  std::string pixels;  ///< pixel_hash()
  std::string fingerprint;
  std::int64_t frame = 0;
  std::uint32_t line = 0;  ///< line in the lock file; 0: none
};

/// By picture name.
using GoldenLock = std::map<std::string, LockedGolden>;
inline constexpr const char* kLockName = "goldens.lock";

/// True for 32 lower-case hex digits.
bool is_fingerprint(std::string_view text);
/// "96x64 " and 32 lower-case hex digits: XXH3-128 of the samples, rows top to bottom.
std::string pixel_hash(const Picture& picture);

/// Reads `goldens.lock` in a folder of goldens; empty if there is none:
///
///   version: 1
///   goldens:
///     - {picture: "rgb.png", pixels: "96x96 0123…", fingerprint: "4567…", frame: 0}
///
/// Throws as load_scene does: every problem with its place.
GoldenLock read_golden_lock(const std::string& folder);

/// Writes the lock in one step, sorted, a line per picture. Needs a FolderClaim since reading,
/// against other processes.
void write_golden_lock(const std::string& folder, const GoldenLock& lock);

/// Even an empty lock marks a folder that accept may change although only a list of pictures names
/// it.
bool has_golden_lock(const std::string& folder);
/// Makes an empty lock if there is none and the folder is writable.
void confirm_golden_folder(const std::string& folder);

}  // namespace roundel
