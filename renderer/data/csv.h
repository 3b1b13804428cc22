#pragma once
#include <memory>

#include "renderer/data/table.h"

namespace roundel {

/// Opens a text table with fields between commas, semicolons, tabs, bars or blanks: the most
/// frequent in its first line; tabs if the name ends in .tsv. The first line is a header if it has
/// no numbers, or a text above a number. A column holds numbers if all its fields are numbers or
/// missing. Throws Error(kInvalidScene) "PATH: …", also for encodings unlike UTF-8 (UTF-16, zero
/// bytes).
std::unique_ptr<Table> open_csv(std::shared_ptr<const InputFile> file,
                                const TableOptions& options = {});

/// Opens such a table without interpreting fields: the first line is a header, and all columns are
/// texts.
std::unique_ptr<Table> open_csv_texts(std::shared_ptr<const InputFile> file);

}  // namespace roundel
