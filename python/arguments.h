#pragma once
#include <pybind11/numpy.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/data/column_table.h"
#include "renderer/machine_options.h"
#include "renderer/scene/load_scene.h"

/// Conversion of Python's arguments.
namespace roundel::python {

/// Returns the columns, NumPy arrays [rows] of plain types with rising addresses, as a table that
/// keeps them alive.
std::shared_ptr<ColumnTable> table_of(const std::string& name, const pybind11::dict& columns);

/// Returns a copy of a column [rows] in a device's memory; `interface` is its
/// __cuda_array_interface__.
pybind11::array from_device(const pybind11::dict& interface);

/// Tables by their names in `data`.
using Tables = std::map<std::string, std::shared_ptr<ColumnTable>>;

SceneOverrides overrides_of(const Tables& tables, const std::optional<std::pair<int, int>>& size,
                            std::optional<std::uint32_t> seed, std::uint64_t memory,
                            const std::vector<std::pair<std::string, std::string>>& vars,
                            std::optional<bool> antialias);

/// `backend`: auto, cpu or cuda.
MachineOptions machine_of(const std::string& backend, int threads, std::uint64_t memory);

/// Returns a YAML document as dicts, lists and scalars.
pybind11::object tree_of(const std::string& text, const std::string& path);

}  // namespace roundel::python
