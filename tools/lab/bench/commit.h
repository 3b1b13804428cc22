#pragma once

namespace roundel {

/// The commit that was built; "" without git.
extern const char* const kCommit;

}  // namespace roundel
