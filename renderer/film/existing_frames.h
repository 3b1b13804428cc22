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
  kSound,       ///< whole; after judge(): is the frame it is named after
  kCorrupt,     ///< damaged, or no file at all
  kUnreadable,  ///< the system refuses to open or read it
  kLink,        ///< a symbolic link, which is never followed
  kForeign,     ///< whole, but another frame, of another scene, or not Roundel's
};

/// What a frame's file says of its making. PFM files say their size alone.
struct FrameOrigin {
  std::string fingerprint, software;  ///< both empty where it does not say
  std::uint32_t seed = 0;
  int width = 0, height = 0;
  bool operator<(const FrameOrigin& other) const {
    return std::tie(fingerprint, software, seed, width, height) <
           std::tie(other.fingerprint, other.software, other.seed, other.width, other.height);
  }
};

/// What is found under the name of a frame. Small, as films have millions of them.
struct FrameFile {
  FrameState state = FrameState::kMissing;
  bool is_misnamed = false;             ///< of judge(): it is the frame `said`
  std::int64_t said = 0;                ///< the frame that it says it is
  const FrameOrigin* origin = nullptr;  ///< of what is whole
  /// What is wrong, after "is" or "are": the same text for the same reason. Null for missing and
  /// sound ones.
  const std::string* fault = nullptr;
};

/// What all frames of an export are to say of themselves.
struct ExpectedOrigin {
  FrameOrigin all;
  /// Where there is one, that of each frame instead, as films of data have; it may throw Error, and
  /// is called by several threads at once.
  std::function<FrameOrigin(std::int64_t)> of_frame = {};
  /// The frame that all say they are, where they are rows of a table.
  std::optional<std::int64_t> shown = {};
  /// These are of each frame its own, as where a scene moves, and say nothing of what is right.
  bool fingerprints_vary = false, seeds_vary = false;
  /// A file of this origin, where as many are of another: none is likelier to be right.
  std::string example = {};
};
/// That of frames which this program makes of the scene, to which it keeps a reference.
ExpectedOrigin origin_of(const Scene& scene);

/// How much of a file is read.
enum class FrameReading {
  kChecksums,  ///< of a PNG every chunk's checksum, which damage does not survive
  kPixels,     ///< all pixels are decoded too
};

/// Those frames whose names are taken, by whatever.
FrameList taken_names(const FrameName& name, const FrameList& frames);

/// Numbers in the file names of the whole film that `frames` are of: those of the scene's animation
/// and of `frames`, counted from 0 with `renumbers`. Empty where a single frame says nothing of it.
FrameList film_numbers(const FrameList& frames, const Scene* scene, bool renumbers);

/// True if a file has the number after the last of `numbers`, or before the first.
bool has_neighbor(const std::string& pattern, const FrameList& numbers);
/// Reads the folder's names. "10 more files match out/f_####.png: 20-29" for files of the pattern
/// whose numbers are not among `numbers`, left over from a longer film; empty where there are none.
std::string leftovers_line(const std::string& pattern, const FrameList& numbers);

/// The files under the names of a film's frames.
class ExistingFrames {
 public:
  /// Reads all of them, in parallel.
  ExistingFrames(const FrameName& name, const FrameList& frames, ImageFormat format,
                 FrameReading reading, WorkCount& progress);
  ExistingFrames(const ExistingFrames&) = delete;
  ExistingFrames& operator=(const ExistingFrames&) = delete;

  /// In the order of the frames.
  const std::vector<FrameFile>& files() const { return files_; }

  /// That of most of the files, or of the first where as many have another.
  ExpectedOrigin most_common_origin() const;

  /// Makes those sound files foreign that are not the frame they are named after, or of another
  /// origin. `word` is for the faults: "640x360, WORD 320x180". PFM files are compared by size
  /// alone, and are foreign unless `accepts_pfm`.
  void judge(const ExpectedOrigin& origin, const char* word, bool accepts_pfm);

  /// What is wrong with the files for which `is_listed`, one line for each reason: "300 frames are
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
  std::mutex mutex_;  ///< guards what follows, each said once for all files
  std::set<FrameOrigin> origins_;
  std::set<std::string> faults_;
};

}  // namespace roundel
