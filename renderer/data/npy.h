#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/data/array_table.h"
#include "renderer/data/npy_header.h"

namespace roundel {

/// Opens the table in an .npy file (format versions 1 to 3). Throws Error(kInvalidScene) "PATH: …"
/// if it is not such a file or its size contradicts the header.
std::unique_ptr<Table> open_npy(std::shared_ptr<const InputFile> file);

/// Adds the columns of an array `name` with the file `bytes`: NAME, NAME[0] or NAME.FIELD; without
/// a name, FIELD or unnamed.
void add_npy_columns(const NpyHeader& header, const std::shared_ptr<const ByteSource>& bytes,
                     const std::string& name, std::vector<RecordRun>& runs,
                     std::vector<ArrayColumn>& columns);

/// Returns the start of an .npy file: magic, version and header, padded as NumPy does. `type` and
/// `shape` are in Python's syntax.
std::string npy_header(std::string_view type, std::string_view shape);
/// An .npy file of a float32 or float64 [rows, columns] array.
std::string npy_file(std::span<const float> values, std::uint64_t rows, std::uint64_t columns);
std::string npy_file(std::span<const double> values, std::uint64_t rows, std::uint64_t columns);

}  // namespace roundel
