#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/sequence/frame_list.h"
#include "renderer/sequence/frame_name.h"

namespace roundel {

enum class FrameState {
  kMissing,  ///< there is no file
  kSound,    ///< decodes, and says that it is the frame it is named after
  kCorrupt,  ///< cannot be read or does not decode
  kForeign,  ///< decodes, but says nothing of its origin or is another frame
};

/// What is found under the name of a frame.
struct FrameFile {
  FrameState state = FrameState::kMissing;
  std::string fingerprint;  ///< of the scene it was made from; empty where it says nothing
  std::string problem;      ///< for people; empty for missing and sound ones
};

/// Reads and decodes one file. PFM files say nothing of their origin: they are sound, without a
/// fingerprint.
FrameFile examine_frame(const std::string& path, std::int64_t frame);

/// The same for the files of all `frames`, in parallel and in their order.
std::vector<FrameFile> examine_frames(const FrameName& name, const FrameList& frames);

}  // namespace roundel
