#pragma once
#include <memory>

#include "renderer/data/table.h"

namespace roundel {

/// The vertices of a .ply file, ascii or binary, or the element that options.dataset names; it
/// must have no lists, and in binary files none may stand before it. Throws Error(kInvalidScene)
/// "PATH: line 4: …" for mistakes of the header.
std::unique_ptr<Table> open_ply(std::shared_ptr<const InputFile> file, const TableOptions& options);

}  // namespace roundel
