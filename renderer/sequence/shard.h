#pragma once
#include <string>

#include "renderer/sequence/frame_list.h"

namespace roundel {

/// One of several shares of a list of frames, for machines that do not talk to each other.
struct Shard {
  int index = 1;  ///< 1..count
  int count = 1;
  bool per_rank = false;  ///< found out from the rank of this process in a step or an MPI job
  bool operator==(const Shard&) const = default;
};

/// "2/8", "auto" or "auto/8". `auto` asks the environment which task this is: a Slurm array
/// (SLURM_ARRAY_TASK_ID with _MIN, _MAX, _STEP and _COUNT), a Slurm step (SLURM_PROCID,
/// SLURM_NTASKS), Open MPI (OMPI_COMM_WORLD_RANK, _SIZE) or a Kubernetes indexed Job
/// (JOB_COMPLETION_INDEX, whose count must follow the slash), in this order. `auto/8` insists on 8
/// shares. Throws Error(kUsage) "expected …" for another text, an environment that says nothing,
/// and array ids without a regular step.
Shard parse_shard(const std::string& text);

/// The frames of one share. The shares of all indices hold every frame once, and their sizes differ
/// by one at most. In one piece where `contiguous` (for a scene that must be stepped through), else
/// every count-th frame, so that dear and cheap parts of a film spread evenly.
FrameList shard_frames(const FrameList& frames, const Shard& shard, bool contiguous);

}  // namespace roundel
