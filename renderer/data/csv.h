#pragma once
#include <memory>

#include "renderer/data/table.h"

namespace roundel {

/// Opens a text table. Fields are separated by commas, semicolons, tabs, bars or blanks, the most
/// frequent in the first line; by tabs in .tsv files. The first line is a header if it has no
/// numbers, or a text above a number. A column with a text holds texts. Throws Error(kInvalidScene)
/// "PATH: …", also for UTF-16 and zero bytes.
std::unique_ptr<Table> open_csv(std::shared_ptr<const InputFile> file,
                                const TableOptions& options = {});

/// Reads all columns as texts, below a header.
std::unique_ptr<Table> open_csv_texts(std::shared_ptr<const InputFile> file);

}  // namespace roundel
