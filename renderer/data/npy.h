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

/// Format versions 1 to 3. Throws Error(kInvalidScene) "PATH: …" for other files, or if size and
/// header disagree.
std::unique_ptr<Table> open_npy(std::shared_ptr<const InputFile> file);

/// Adds the columns of the array `name` in `bytes`: NAME, NAME[0] or NAME.FIELD; without a name,
/// FIELD or unnamed.
void add_npy_columns(const NpyHeader& header, const std::shared_ptr<const ByteSource>& bytes,
                     const std::string& name, std::vector<RecordRun>& runs,
                     std::vector<ArrayColumn>& columns);

/// Magic, version and header, padded as in NumPy. `type` and `shape` have Python's syntax.
std::string npy_header(std::string_view type, std::string_view shape);
/// A float32 or float64 [rows, columns] array.
std::string npy_file(std::span<const float> values, std::uint64_t rows, std::uint64_t columns);
std::string npy_file(std::span<const double> values, std::uint64_t rows, std::uint64_t columns);

}  // namespace roundel
