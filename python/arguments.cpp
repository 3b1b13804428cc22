#include "python/arguments.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <tuple>

#include "python/errors.h"
#include "python/pixels.h"
#include "renderer/base/error.h"
#include "renderer/format/number_text.h"
#include "renderer/format/yaml_tree.h"
#include "renderer/raster/device_memory.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

/// Keeps an array, which any thread may release.
std::shared_ptr<const void> keep(const py::array& array) {
  auto* const kept = new py::array(array);
  return {kept->data(), [kept](const void* /*data*/) {
            // When the interpreter has ended, the array needs no release.
            const GilAcquire acquire(GilAcquire::AtEnd::kGoOn);
            if (acquire.holds_gil()) delete kept;
          }};
}

/// Marks a number that Python writes differently, as a text for _scene.py.
py::object scalar_of(const YamlNode& node) {
  const std::string text(node.text());
  if (node.kind() != YamlKind::kPlain) return py::str(text);
  if (text == "true" || text == "false") return py::bool_(text == "true");
  py::object number = py::none();
  if (const auto whole = parse_integer(text).value)
    number = py::int_(*whole);
  else if (const auto real = parse_number(text).value)
    number = py::float_(*real);
  if (number.is_none()) return py::str(text);
  constexpr const char* kMark = "\xEF\xBF\xBE";  // U+FFFE, which scene files cannot contain
  return py::repr(number).cast<std::string>() == text ? number : py::str(kMark + text + kMark);
}

py::object object_of(const YamlNode& node) {
  if (node.is_map()) {
    py::dict map;
    node.for_each_entry([&](const YamlNode& key, const YamlNode& value) {
      map[py::str(std::string(key.text()))] = object_of(value);
    });
    return map;
  }
  if (node.is_list()) {
    py::list list;
    node.for_each_item([&](const YamlNode& item) { list.append(object_of(item)); });
    return list;
  }
  return node.is_scalar() ? scalar_of(node) : py::none();
}

}  // namespace

std::shared_ptr<ColumnTable> table_of(const std::string& name, const py::dict& columns) {
  find_numpy();
  std::vector<MemoryColumn> in_memory;
  std::optional<py::ssize_t> rows;
  for (const auto& [key, value] : columns) {
    const auto array = value.cast<py::array>();
    const auto column = key.cast<std::string>();
    if (array.ndim() != 1 || array.strides(0) < 0)
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: {}: expected an array [rows]", name, column));
    if (rows && array.shape(0) != *rows)
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: {}: expected {} rows, like the columns before it, got {}", name,
                              column, *rows, array.shape(0)));
    rows = array.shape(0);
    in_memory.push_back({column, array.dtype().attr("str").cast<std::string>(),
                         static_cast<const std::byte*>(array.data()),
                         static_cast<std::size_t>(array.strides(0)), keep(array)});
  }
  return std::make_shared<ColumnTable>(name, std::move(in_memory),
                                       static_cast<std::uint64_t>(rows.value_or(0)));
}

py::array from_device(const py::dict& interface) {
  find_numpy();
  const auto shape = interface["shape"].cast<std::vector<py::ssize_t>>();
  // NumPy gives the size of its types: pybind11 before 2.12 does not know those of NumPy 2.
  const py::array column =
      py::module_::import("numpy").attr("empty")(interface["shape"], interface["typestr"]);
  const auto size = column.attr("itemsize").cast<std::size_t>();
  auto stride = static_cast<py::ssize_t>(size);
  if (interface.contains("strides") && !interface["strides"].is_none())
    stride = interface["strides"].cast<std::vector<py::ssize_t>>().at(0);
  const bool has_mask = interface.contains("mask") && !interface["mask"].is_none();
  if (shape.size() != 1 || stride < static_cast<py::ssize_t>(size) || has_mask)
    throw Error(ExitCode::kInvalidScene,
                "expected an array [rows] on the device with a positive stride and without a mask");
  const auto address = interface["data"].cast<py::tuple>()[0].cast<std::uintptr_t>();
  void* const host = const_cast<void*>(column.data());
  const auto rows = static_cast<std::size_t>(shape[0]);
  if (rows > 0)
    without_gil([&] {
      copy_from_device(reinterpret_cast<const void*>(address), static_cast<std::size_t>(stride),
                       size, rows, host);
    });
  column.attr("setflags")(py::arg("write") = false);  // not shared yet
  return column;
}

SceneOverrides overrides_of(const Tables& tables, const std::optional<std::pair<int, int>>& size,
                            std::optional<std::uint32_t> seed, std::uint64_t memory,
                            const std::vector<std::pair<std::string, std::string>>& vars,
                            std::optional<bool> antialias) {
  SceneOverrides overrides;
  if (size) std::tie(overrides.width, overrides.height) = *size;
  overrides.seed = seed;
  overrides.antialias = antialias;
  overrides.memory = memory;
  for (const auto& [name, value] : vars) overrides.vars.push_back({name, value});
  overrides.tables = {tables.begin(), tables.end()};
  return overrides;
}

MachineOptions machine_of(const std::string& backend, int threads, std::uint64_t memory) {
  MachineOptions machine;
  if (backend == "cpu" || backend == "cuda")
    machine.backend = backend == "cpu" ? BackendChoice::kCpu : BackendChoice::kCuda;
  else if (backend != "auto")
    throw Error(ExitCode::kUsage,
                fmt::format("backend: expected auto, cpu or cuda, got \"{}\"", backend));
  machine.raster.threads = threads_in_host(threads);
  machine.raster.memory_budget = memory;
  return machine;
}

py::object tree_of(const std::string& text, const std::string& path) {
  YamlTree tree(text, path);
  return object_of(tree.root());
}

}  // namespace roundel::python
