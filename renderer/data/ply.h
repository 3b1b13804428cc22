#pragma once
#include <memory>

#include "renderer/data/table.h"

namespace roundel {

/// Opens the vertices of a .ply file, ascii or binary, or the element options.dataset. It must not
/// have lists; in a binary file neither may earlier elements. Throws Error(kInvalidScene) "PATH:
/// line 4: …" for errors of the header.
std::unique_ptr<Table> open_ply(std::shared_ptr<const InputFile> file, const TableOptions& options);

}  // namespace roundel
