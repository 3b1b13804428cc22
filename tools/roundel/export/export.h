#pragma once
#include "tools/roundel/cli/options.h"

namespace roundel {

/// Renders a sequence of frames of one scene into files, or a stream to standard output. Returns
/// the exit code; throws Error for what is wrong before the first frame.
int run_export(const RenderOptions& options);

}  // namespace roundel
