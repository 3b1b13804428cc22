// Apart from all else, so that a new commit has nothing else compiled again.
#include "tools/roundel/cli/commit.h"

namespace roundel {

const char* const kCommit = ROUNDEL_COMMIT;

}  // namespace roundel
