// Stands in for load_mpi.cpp in builds without MPI.
#include "tools/roundel/ranks.h"

namespace roundel {

std::unique_ptr<Ranks> make_mpi_ranks() {
  return nullptr;
}

}  // namespace roundel
