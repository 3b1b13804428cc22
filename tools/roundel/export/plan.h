#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "renderer/image/atomic_file.h"
#include "renderer/scene/scene.h"
#include "renderer/sequence/frame_encoder.h"
#include "renderer/sequence/frame_list.h"
#include "renderer/sequence/frame_name.h"
#include "tools/roundel/cli/options.h"

namespace roundel {

/// The frames that --frames asks for; without it `otherwise`. Throws Error(kUsage) for "all" of a
/// scene without animation.
FrameList frames_of(const Scene& scene, const std::optional<FrameList>& frames, bool all_frames,
                    std::int64_t otherwise);

/// What is to be exported where.
struct ExportPlan {
  FrameList frames;  ///< of this shard
  FrameFormat format = FrameFormat::kPng;
  FrameName name{""};  ///< unused for a stream
};

/// Throws Error for what cannot be done: several frames into one name, an unknown ending, a frame
/// that does not fit into memory.
ExportPlan plan_export(const Scene& scene, const RenderOptions& options);

/// How many of `frames` frames the CPU, or each device, draws at once. The CPU as many as
/// `threads`, with one thread each, since that wastes less than sharing each frame between the
/// threads; or one, by all threads together, where so many do not fit into `budget` (0: half of the
/// memory), or are too few for every thread to have some. A device some, so that it draws one while
/// others go over the bus; or one, where frames are so large that they should not share its memory.
int frames_at_once(const Scene& scene, const ExportPlan& plan, Backend backend, std::size_t frames,
                   int threads, std::uint64_t budget);

/// Decides about the files that are there, removes leftovers of killed runs and makes missing
/// folders. Throws Error(kOutputRefused), with nothing touched, for a folder that cannot be written
/// to, for a frame that would replace a file that is read and, without --overwrite, for files that
/// are there already; with --resume only for those that are foreign or cannot be judged.
struct FramesToMake {
  FrameList frames;                ///< still to be made
  std::size_t kept = 0;            ///< frames that are there and right
  FrameList taken;                 ///< those of `frames` whose names are taken
  std::vector<NewFolder> folders;  ///< made for them
};
FramesToMake frames_to_make(const ExportPlan& plan, const Scene& scene,
                            const RenderOptions& options);

}  // namespace roundel
