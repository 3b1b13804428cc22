// HDF5 files are read in a module, so that only those who need libhdf5 load it, and there in a
// process of its own.
#include "renderer/data/hdf5.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/module.h"
#include "renderer/base/text.h"
#include "renderer/data/hdf5_module.h"

namespace roundel {
namespace {

/// The process that has loaded this library.
const pid_t kFirstProcess = ::getpid();

}  // namespace

namespace {

/// Returns how to read a table whose names only the library that wrote it knows.
std::string hint_of(const std::vector<ArrayColumn>& columns) {
  for (const ArrayColumn& column : columns) {
    if (column.name.find("values_block_") != std::string::npos)
      return "; it is a table of pandas, which has the names in Python: df = "
             "pandas.read_hdf(FILE), then scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")";
    if (column.name == "_index")
      return "; it is a table of AnnData, which has its categories in Python: a = "
             "anndata.read_h5ad(FILE), then scene.add(a.obs, ...)";
  }
  return "";
}

}  // namespace

std::unique_ptr<Table> open_hdf5(std::shared_ptr<const InputFile> file,
                                 const std::string& dataset) {
  static const auto functions =
      module_function<Hdf5Functions()>("libroundel_hdf5.so", "roundel_hdf5_functions")();
  Hdf5Table table = functions.read_table(file->path(), file->descriptor(), dataset, kFirstProcess);
  const auto bytes = std::make_shared<FileBytes>(file);
  std::vector<RecordRun> runs;
  for (Hdf5Table::Run& run : table.runs) {
    std::uint64_t size = 0;
    if (!run.bytes && (__builtin_mul_overflow(table.rows, run.record_bytes, &size) ||
                       size > file->size() || run.offset > file->size() - size))
      throw Error(ExitCode::kInvalidScene, file->path() + ": is cut short");
    runs.push_back(
        {run.bytes ? std::move(run.bytes) : bytes, run.offset, run.record_bytes, run.has_pointers});
  }
  // In a damaged file a member may lie beyond its row, which libhdf5 does not look for.
  for (const ArrayColumn& column : table.columns) {
    const std::uint64_t record_bytes = runs.at(column.run).record_bytes;
    if (column.element.size > record_bytes || column.offset > record_bytes - column.element.size)
      throw Error(ExitCode::kInvalidScene,
                  fmt::format("{}: is damaged: column {} is not within its rows of {} bytes",
                              file->path(), quoted(column.name), record_bytes));
  }
  const std::string hint = hint_of(table.columns);
  auto opened = std::make_unique<ArrayTable>(std::move(file), std::move(runs),
                                             std::move(table.columns), table.rows);
  opened->set_hint(hint);
  return opened;
}

}  // namespace roundel
