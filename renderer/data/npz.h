#pragma once
#include <memory>
#include <string>

#include "renderer/data/table.h"

namespace roundel {

/// The table in an .npz archive, of which each array is a column, or several as `NAME[0]` or
/// `NAME.FIELD`; those of no dimension are left out. A single array is as in its .npy file, and so
/// is that which `dataset` names. Deflated arrays are unpacked once when the table is opened.
/// Throws Error(kInvalidScene) "PATH: …".
std::unique_ptr<Table> open_npz(std::shared_ptr<const InputFile> file, const std::string& dataset);

}  // namespace roundel
