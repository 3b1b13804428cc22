#pragma once

namespace roundel {

/// The commit that was built, for benchmarks to name; "" where git is not at hand.
extern const char* const kCommit;

}  // namespace roundel
