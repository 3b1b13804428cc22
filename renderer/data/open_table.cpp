#include "renderer/data/npy.h"
#include "renderer/data/table.h"

namespace roundel {

std::unique_ptr<Table> open_table(const std::string& path, const TableOptions& /*options*/) {
  return open_npy(std::make_shared<const InputFile>(path));
}

}  // namespace roundel
