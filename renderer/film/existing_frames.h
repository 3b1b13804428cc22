#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/base/stage_stats.h"
#include "renderer/film/frame_list.h"
#include "renderer/image/files.h"
#include "renderer/scene/scene.h"

namespace roundel {

enum class FrameState : std::uint8_t {
  kMissing,     ///< there is no file
  kSound,       ///< complete; after judge(): also the frame of its name
  kCorrupt,     ///< damaged, or not a file
  kUnreadable,  ///< the system refuses to open or read it
  kLink,        ///< a symbolic link, which is never followed
  kForeign,     ///< complete, but another frame, of another scene, or not Roundel's
};

/// Origin of a frame according to its file. PFM files have only the size.
struct FrameOrigin {
  std::string fingerprint, software;  ///< both empty if the file has none
  std::uint32_t seed = 0;
  int width = 0, height = 0;
  bool operator<(const FrameOrigin& other) const {
    return std::tie(fingerprint, software, seed, width, height) <
           std::tie(other.fingerprint, other.software, other.seed, other.width, other.height);
  }
};

/// State of the file under a frame's name. Small, since films have millions.
struct FrameFile {
  FrameState state = FrameState::kMissing;
  bool is_misnamed = false;             ///< set by judge(): the file is frame `said`
  std::int64_t said = 0;                ///< frame number in the file
  const FrameOrigin* origin = nullptr;  ///< set for complete files
  /// The fault, worded to follow "is" or "are"; equal faults share one string. Null for missing and
  /// sound files.
  const std::string* fault = nullptr;
};

/// Expected origin of all frames of an export.
struct ExpectedOrigin {
  FrameOrigin all;
  /// If set, returns the origin of each frame, as for films of data, and replaces `all`. May throw
  /// Error; called by several threads at once.
  std::function<FrameOrigin(std::int64_t)> of_frame = {};
  /// The frame number that all files must have, if frames are rows of a table.
  std::optional<std::int64_t> shown = {};
  /// True if each frame has its own, as in scenes that move; the value then tells nothing.
  bool fingerprints_vary = false, seeds_vary = false;
  /// A file of this origin, if another origin is equally frequent and either may be right.
  std::string example = {};
};
/// Returns the origin of frames that this program makes of the scene. Keeps a reference to it.
ExpectedOrigin origin_of(const Scene& scene);

/// How much of a file is read.
enum class FrameReading {
  kChecksums,  ///< checksums of all chunks of a PNG, which detect damage
  kPixels,     ///< also decodes all pixels
};

/// Returns the frames whose names exist, as files or anything else.
FrameList taken_names(const FrameName& name, const FrameList& frames);

/// Returns the numbers in the file names of the whole film: those of the scene's animation and of
/// `frames`, counted from 0 with `renumbers`. Empty for a single frame, which does not tell.
FrameList film_numbers(const FrameList& frames, const Scene* scene, bool renumbers);

/// True if a file has the number before the first or after the last of `numbers`.
bool has_neighbor(const std::string& pattern, const FrameList& numbers);
/// Lists files of the pattern that a longer film left over, whose numbers are not in `numbers`: "10
/// more files match out/f_####.png: 20-29". Empty if there are none. Reads the folder's names.
std::string leftovers_line(const std::string& pattern, const FrameList& numbers);

/// Files under the names of a film's frames.
class ExistingFrames {
 public:
  /// Reads all of them in parallel.
  ExistingFrames(const FrameName& name, const FrameList& frames, ImageFormat format,
                 FrameReading reading, WorkCount& progress);
  ExistingFrames(const ExistingFrames&) = delete;
  ExistingFrames& operator=(const ExistingFrames&) = delete;

  /// Files in the order of the frames.
  const std::vector<FrameFile>& files() const { return files_; }

  /// Returns the origin of most files; of equally frequent ones, that of the first file.
  ExpectedOrigin most_common_origin() const;

  /// Marks sound files as foreign if they are not the frame of their name or have another origin.
  /// `word` is for the faults: "640x360, WORD 320x180". PFM files are compared by size alone, and
  /// are foreign unless `accepts_pfm`.
  void judge(const ExpectedOrigin& origin, const char* word, bool accepts_pfm);

  /// Returns the faults of the files for which `is_listed`, one line a fault: "300 frames are
  /// 640x360, asked 320x180: 300-599", "1 frame is not Roundel's: out/snow_0300.png".
  std::vector<std::string> fault_lines(bool (*is_listed)(const FrameFile&)) const;

 private:
  FrameFile examine(const std::string& path, ImageFormat format, FrameReading reading);
  FrameFile found(FrameState state, const std::string& fault);
  std::string fault_of(std::size_t i, const ExpectedOrigin& expected, const char* word);
  std::string detail(std::size_t i) const;

  const FrameName& name_;
  const FrameList& frames_;
  std::vector<FrameFile> files_;
  std::mutex mutex_;  ///< guards all below; each string is stored once for all files
  std::set<FrameOrigin> origins_;
  std::set<std::string> faults_;
};

}  // namespace roundel
