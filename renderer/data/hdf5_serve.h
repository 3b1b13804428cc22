#pragma once
#include <array>

#include "renderer/data/hdf5_child.h"

namespace roundel {

/// What a process does that was forked to read a file: answers questions until the parent closes
/// its end, sockets[0], of the connection, of which sockets[1] is this process's. Nothing of the
/// parent's is used but the connection and the file; its other threads are not here. All signals
/// are blocked until then.
[[noreturn]] void serve_hdf5(const std::array<int, 2>& sockets, int descriptor,
                             const ChildWork& work);

}  // namespace roundel
