#pragma once
#include <memory>
#include <string>

#include "renderer/data/table.h"

namespace roundel {

/// Opens the arrays of an .npz archive as columns `NAME`, `NAME[0]` or `NAME.FIELD`, without
/// zero-dimensional ones. A single array, or `dataset`, is read like its .npy file. Unpacks
/// deflated arrays once. Throws Error(kInvalidScene) "PATH: …".
std::unique_ptr<Table> open_npz(std::shared_ptr<const InputFile> file, const std::string& dataset);

}  // namespace roundel
