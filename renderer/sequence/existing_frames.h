#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/image/files.h"
#include "renderer/scene/scene.h"
#include "renderer/sequence/frame_list.h"

namespace roundel {

enum class FrameState {
  kMissing,     ///< there is no file
  kSound,       ///< decodes; after judge_frames(): is the frame it is named after
  kCorrupt,     ///< does not decode, or is no file at all
  kUnreadable,  ///< the system refuses to open or read it
  kLink,        ///< a symbolic link, which is never followed
  kForeign,     ///< decodes, but is another frame, of another scene, or not Roundel's
};

/// What is found under the name of a frame.
struct FrameFile {
  FrameState state = FrameState::kMissing;
  std::optional<ImageMetadata> metadata;  ///< what it says of its origin; never for PFM
  int width = 0, height = 0;              ///< of what decodes
  /// What is wrong, after "is" or "are": the same text for the same reason. Empty for missing and
  /// sound ones.
  std::string fault;
  std::string detail;  ///< of this one file, after its path; mostly empty
};

/// Reads and decodes one file of this format.
FrameFile examine_frame(const std::string& path, ImageFormat format);
/// The same for the files of all `frames`, in parallel and in their order.
std::vector<FrameFile> examine_frames(const FrameName& name, const FrameList& frames,
                                      ImageFormat format);

/// What all frames of an export say of themselves.
struct FrameOrigin {
  std::string fingerprint;  ///< of the scene; empty: that of PFM files, which say nothing
  /// Where there is one, that of each frame instead, as films of data have; it may throw Error.
  std::function<std::string(std::int64_t)> fingerprint_of = {};
  std::string software;
  std::uint32_t seed = 0;
  int width = 0, height = 0;
};
/// That of frames which this program makes of the scene, to which it keeps a reference.
FrameOrigin origin_of(const Scene& scene);
/// That of most of the files. Where most have a fingerprint of their own, as in films of data, any
/// is right, and fingerprint_of says so.
FrameOrigin most_common_origin(const std::vector<FrameFile>& files);

/// Makes those sound files foreign that are not the frame they are named after, or of another
/// origin. `word` is for the faults: "640x360, WORD 320x180". PFM files are compared by size alone.
void judge_frames(std::vector<FrameFile>& files, const FrameList& frames, const FrameOrigin& origin,
                  const char* word);

/// What is wrong with the files for which `is_listed`, one line for each reason: "300 frames are
/// 640x360, asked 320x180: 300-599", "1 frame is not Roundel's: out/snow_0300.png".
std::vector<std::string> fault_lines(const FrameName& name, const FrameList& frames,
                                     const std::vector<FrameFile>& files,
                                     bool (*is_listed)(const FrameFile&));

}  // namespace roundel
