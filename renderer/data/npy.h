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

/// The table in an .npy file (format versions 1 to 3). Throws Error(kInvalidScene) "PATH: …" where
/// it is no such file, or shorter or longer than its header says.
std::unique_ptr<Table> open_npy(std::shared_ptr<const InputFile> file);

/// Adds the columns of an array `name` whose file is `bytes`: NAME, NAME[0] or NAME.FIELD; without
/// a name FIELD or none.
void add_npy_columns(const NpyHeader& header, const std::shared_ptr<const ByteSource>& bytes,
                     const std::string& name, std::vector<RecordRun>& runs,
                     std::vector<ArrayColumn>& columns);

/// The first bytes of an .npy file: magic, version, and the header, whose `type` and `shape` are as
/// Python writes them; padded as NumPy does it.
std::string npy_header(std::string_view type, std::string_view shape);
/// An .npy file of a float32 or float64 [rows, columns] array.
std::string npy_file(std::span<const float> values, std::uint64_t rows, std::uint64_t columns);
std::string npy_file(std::span<const double> values, std::uint64_t rows, std::uint64_t columns);

}  // namespace roundel
