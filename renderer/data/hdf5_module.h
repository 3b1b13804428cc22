#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/data/array_table.h"

namespace roundel {

/// What the module roundel_hdf5, which brings libhdf5, finds in a file.
struct Hdf5Table {
  struct Run {
    std::shared_ptr<const ByteSource> bytes;  ///< none where they lie in the file as they are
    std::uint64_t offset = 0;                 ///< then, there
    std::uint64_t record_bytes = 0;
    bool has_pointers = false;
  };
  std::vector<Run> runs;
  std::vector<ArrayColumn> columns;
  std::uint64_t rows = 0;
};

/// `descriptor` is the file's, which stays open. `first_process`: the one that has loaded the
/// library, of which this one may be a fork. Throws Error(kInvalidScene) "PATH: …".
Hdf5Table read_hdf5_table(const std::string& path, int descriptor, const std::string& dataset,
                          pid_t first_process);

/// The module's only own function returns that one.
struct Hdf5Functions {
  decltype(&read_hdf5_table) read_table;
};

}  // namespace roundel
