#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "renderer/compare/picture.h"

namespace roundel {

/// What is kept of a golden instead of its picture.
struct LockedGolden {
  std::string pixels;       ///< pixel_hash()
  std::string fingerprint;  ///< of the scene that it is of
  std::int64_t frame = 0;
  std::uint32_t line = 0;  ///< of the lock file; 0 in none
};

/// By the picture's name.
using GoldenLock = std::map<std::string, LockedGolden>;
inline constexpr const char* kLockName = "goldens.lock";

/// True for 32 lower-case hex digits.
bool is_fingerprint(std::string_view text);
/// "96x64 " and 32 lower-case hex digits: XXH3-128 of the samples, rows top to bottom.
std::string pixel_hash(const Picture& picture);

/// `goldens.lock` in a folder of goldens, empty where there is none:
///
///   version: 1
///   goldens:
///     - {picture: "rgb.png", pixels: "96x96 0123…", fingerprint: "4567…", frame: 0}
///
/// Throws as load_scene does: every problem with its place.
GoldenLock read_golden_lock(const std::string& folder);

/// Writes it in one step, sorted, a line a picture. Needs a FolderClaim on the folder from reading
/// on: other processes change it, too.
void write_golden_lock(const std::string& folder, const GoldenLock& lock);

/// True where the folder has a lock, with goldens or without: this marks a folder that accept may
/// change although only a list of pictures names it.
bool has_golden_lock(const std::string& folder);
/// Gives the folder of goldens a lock without goldens where it has none and can be written to.
void confirm_golden_folder(const std::string& folder);

}  // namespace roundel
