#pragma once
#include <functional>
#include <string>

#include "renderer/data/hdf5_module.h"

namespace roundel {

/// Calls read(descriptor) in a process of its own, in which all that it returns then stays: broken
/// files can crash libhdf5. Rows come from there; where that process ends before its time, reading
/// throws Error(kInvalidScene) "PATH: ...".
Hdf5Table read_in_child(const std::string& path, int descriptor,
                        const std::function<Hdf5Table(int)>& read);

}  // namespace roundel
