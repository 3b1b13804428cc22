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
  kMissing,
  kSound,       ///< complete; after check_origins(): also the frame of its name
  kCorrupt,     ///< damaged, or not a file
  kUnreadable,  ///< the system refuses to open or read it
  kLink,        ///< never followed
  kForeign,     ///< complete, but another frame, of another scene, or not Roundel's
};

/// Origin that a frame's file states. PFM files state only the size.
struct FrameOrigin {
  std::string fingerprint, software;  ///< both empty if the file has none
  std::uint32_t seed = 0;
  int width = 0, height = 0;
  std::string samples = {};  ///< type of an EXR's values: "float", "half"
  bool operator<(const FrameOrigin& other) const {
    return std::tie(fingerprint, software, seed, width, height, samples) <
           std::tie(other.fingerprint, other.software, other.seed, other.width, other.height,
                    other.samples);
  }
};

/// State of the file under a frame's name. Small, since films have millions.
struct FrameFile {
  FrameState state = FrameState::kMissing;
  bool is_misnamed = false;             ///< set by check_origins(): the file is frame `number`
  std::int64_t number = 0;              ///< frame number in the file
  const FrameOrigin* origin = nullptr;  ///< set for complete files
  /// The fault, to follow "is" or "are"; equal faults share one string. Null for missing and sound
  /// files.
  const std::string* fault = nullptr;
};

struct ExpectedOrigin {
  FrameOrigin all;
  /// If set, replaces `all` for each frame, as for films of data. May throw Error; called by
  /// several threads at once.
  std::function<FrameOrigin(std::int64_t)> of_frame = {};
  /// The frame number in all files, if frames are rows of a table.
  std::optional<std::int64_t> scene_frame = {};
  std::string samples = {};  ///< see FrameOrigin; empty: any
  /// True if each frame has its own, as in scenes that move, so it is not checked.
  bool fingerprints_vary = false, seeds_vary = false;
  /// A file of this origin, if another origin is equally frequent.
  std::string example = {};
};
/// Returns the origin of frames of this program and scene. Keeps a reference to the scene.
ExpectedOrigin origin_of(const Scene& scene);

enum class FrameReading {
  kChecksums,  ///< every chunk's in a PNG; they detect damage
  kPixels,     ///< also decodes all pixels
};

/// Returns the frames whose names exist.
FrameList taken_names(const FrameName& name, const FrameList& frames);

/// Returns the file numbers of the whole film: those of the scene's animation and of `frames`,
/// counted from 0 with `renumbers`. Empty for a single frame.
FrameList film_numbers(const FrameList& frames, const Scene* scene, bool renumbers);

/// True if a file has the number before the first or after the last of `numbers`.
bool has_neighbor(const std::string& pattern, const FrameList& numbers);
/// Lists files that a longer film left over, whose numbers are not in `numbers`: "10 more files
/// match out/f_####.png: 20-29". Empty if there are none. Reads the folder.
std::string leftovers_line(const std::string& pattern, const FrameList& numbers);

class ExistingFrames {
 public:
  /// Reads all of them in parallel.
  ExistingFrames(const FrameName& name, const FrameList& frames, ImageFormat format,
                 FrameReading reading, WorkCount& progress);
  ExistingFrames(const ExistingFrames&) = delete;
  ExistingFrames& operator=(const ExistingFrames&) = delete;

  const std::vector<FrameFile>& files() const { return files_; }

  /// Returns the origin of most files, or of the first file if several are equally frequent.
  ExpectedOrigin most_common_origin() const;

  /// Marks sound files as foreign if they have another frame or origin than expected. `word` is for
  /// the faults: "640x360, WORD 320x180". PFM files are compared by size alone, and are foreign
  /// unless `accepts_pfm`.
  void check_origins(const ExpectedOrigin& origin, const char* word, bool accepts_pfm);

  /// Returns the faults of files for which `is_listed`, one line each: "300 frames are 640x360,
  /// asked 320x180: 300-599", "1 frame is not Roundel's: out/snow_0300.png".
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
