#pragma once
#include <memory>
#include <string>

#include "renderer/data/table.h"

namespace roundel {

/// Opens the table in an .npz archive. Each array gives a column, or several as `NAME[0]` or
/// `NAME.FIELD`; zero-dimensional arrays are ignored. A single array, or the one that `dataset`
/// names, is read as its .npy file. Deflated arrays are unpacked once at opening. Throws
/// Error(kInvalidScene) "PATH: …".
std::unique_ptr<Table> open_npz(std::shared_ptr<const InputFile> file, const std::string& dataset);

}  // namespace roundel
