#pragma once
#include <memory>

#include "renderer/data/table.h"

namespace roundel {

/// The table in a text of fields between commas, semicolons, tabs, bars or blanks, whichever its
/// first line has most of; tabs where the name ends in .tsv. The first line is a header where none
/// of its fields is a number, or where one stands above a number and is none. A column is of
/// numbers where each of its fields is a number or missing. Throws Error(kInvalidScene) "PATH: …",
/// also for texts that are not UTF-8's family (UTF-16, zero bytes).
std::unique_ptr<Table> open_csv(std::shared_ptr<const InputFile> file,
                                const TableOptions& options = {});

/// The same with fields as they are written: the first line is a header, and all columns are texts.
std::unique_ptr<Table> open_csv_texts(std::shared_ptr<const InputFile> file);

}  // namespace roundel
