// MPI is in a module, so that only ranks load it.
#include "renderer/base/module.h"
#include "tools/roundel/export/ranks.h"

namespace roundel {

std::unique_ptr<Ranks> make_mpi_ranks() {
  return std::unique_ptr<Ranks>(
      module_function<Ranks*()>("libroundel_mpi.so", "roundel_make_mpi_ranks")());
}

}  // namespace roundel
