#include <array>
#include <string>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/data/csv.h"
#include "renderer/data/hdf5.h"
#include "renderer/data/npy.h"
#include "renderer/data/npz.h"
#include "renderer/data/ply.h"
#include "renderer/data/table.h"

namespace roundel {
namespace {

struct Refused {
  std::string_view magic, problem;
};
constexpr std::array kRefused = {
    Refused{
        "PAR1",
        "Parquet is read from Python only, with roundel.Scene.add(); or write it as .npz or .csv"},
    Refused{
        "ARROW1",
        "Arrow is read from Python only, with roundel.Scene.add(); or write it as .npz or .csv"},
    Refused{
        "FEA1",
        "Feather is read from Python only, with roundel.Scene.add(); or write it as .npz or .csv"},
    Refused{"\x1F\x8B", "expected a table, got a file packed by gzip; unpack it first"},
    Refused{"\x28\xB5\x2F\xFD", "expected a table, got a file packed by zstd; unpack it first"},
};

}  // namespace

std::unique_ptr<Table> open_table(const std::string& path, const TableOptions& options) {
  auto file = std::make_shared<const InputFile>(path);
  const std::string start = file->read(16);
  const auto has_suffix = [&](std::initializer_list<std::string_view> suffixes) {
    for (const std::string_view suffix : suffixes)
      if (path.ends_with(suffix)) return true;
    return false;
  };
  const auto fail = [&](std::string_view problem) {
    throw Error(ExitCode::kInvalidScene, path + ": " + std::string(problem));
  };
  for (const auto& [magic, problem] : kRefused)
    if (start.starts_with(magic)) fail(problem);
  const auto check_no_dataset = [&] {
    if (!options.dataset.empty()) fail(kNoDatasets);
  };
  if (start.starts_with("\x93NUMPY") || has_suffix({".npy"})) {
    check_no_dataset();
    return open_npy(std::move(file));
  }
  if (start.starts_with("PK\3\4") || start.starts_with("PK\5\6"))
    return open_npz(std::move(file), options.dataset);
  // A user block may precede the signature.
  if (start.starts_with("\x89HDF\r\n\x1A\n") || has_suffix({".h5", ".hdf5", ".hdf", ".h5ad"}))
    return open_hdf5(std::move(file), options.dataset);
  if (has_suffix({".npz"})) fail("expected an archive of arrays, but it does not start like one");
  if (start.starts_with("ply\n") || start.starts_with("ply\r") || has_suffix({".ply"}))
    return open_ply(std::move(file), options);
  if (has_suffix({".csv", ".tsv", ".tab", ".txt", ".dat"})) {
    check_no_dataset();
    return open_csv(std::move(file), options);
  }
  fail(
      "expected a table: .npy, .npz, .csv, .tsv, .ply or .h5; other formats are read from Python, "
      "with roundel.Scene.add()");
  return nullptr;
}

}  // namespace roundel
