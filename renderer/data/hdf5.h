#pragma once
#include <memory>
#include <string>

#include "renderer/data/table.h"

namespace roundel {

/// Opens the table `dataset`, or the one at the root: a dataset of compounds, a dataset [n, k], or
/// a group of columns, `NAME`, `NAME[0]` or `NAME.FIELD`. Throws Error(kInvalidScene) "PATH: …",
/// Error(kRuntimeFailure) without the module.
std::unique_ptr<Table> open_hdf5(std::shared_ptr<const InputFile> file, const std::string& dataset);

}  // namespace roundel
