// Stands in for load_mpi.cpp in builds without MPI.
#include "tools/roundel/export/ranks.h"

namespace roundel {

std::unique_ptr<Ranks> make_mpi_ranks() {
  return nullptr;
}

}  // namespace roundel
