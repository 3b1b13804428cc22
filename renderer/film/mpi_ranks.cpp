// A rank sends its question to the first one, whose helper thread polls every 200 µs and answers at
// once, whatever its other threads do. (A counter in a window, with MPI_Fetch_and_op, does not
// work: over TCP its progress depends on the first rank's activity.) Threads call MPI one at a
// time, under one mutex, and wait outside of it, since Open MPI would spin.
#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/module.h"
#include "renderer/film/ranks.h"

namespace roundel {
namespace {

constexpr std::chrono::microseconds kPoll{200};
constexpr int kTag = 0;

void check(int result, const char* what) {
  if (result != MPI_SUCCESS) {
    throw Error(ExitCode::kRuntimeFailure, fmt::format("MPI: {} failed", what));
  }
}

class MpiMessenger final : public Messenger {
 public:
  explicit MpiMessenger(Ranks& ranks) {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_SERIALIZED) {
      throw Error(ExitCode::kRuntimeFailure, "MPI: this library does not work with threads");
    }
    check(MPI_Comm_rank(MPI_COMM_WORLD, &ranks.index), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &ranks.count), "MPI_Comm_size");
    MPI_Comm machine = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks.index, MPI_INFO_NULL,
                              &machine),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(machine, &ranks.local.index), "MPI_Comm_rank");
    check(MPI_Comm_size(machine, &ranks.local.count), "MPI_Comm_size");
    check(MPI_Comm_free(&machine), "MPI_Comm_free");
  }
  ~MpiMessenger() override { MPI_Finalize(); }

  void send(int to, const std::string& text) override {
    std::unique_lock lock(mutex_);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, kTag, MPI_COMM_WORLD,
                    &request),
          "MPI_Isend");
    for (int is_done = 0;;) {
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done != 0) return;
      lock.unlock();
      std::this_thread::sleep_for(kPoll);
      lock.lock();
    }
  }

  std::optional<std::pair<int, std::string>> receive() override {
    const std::lock_guard lock(mutex_);
    int has_come = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &has_come, &status), "MPI_Iprobe");
    if (has_come == 0) return std::nullopt;
    int length = 0;
    check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    std::string text(static_cast<std::size_t>(length), '\0');
    check(MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, kTag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    return std::pair(status.MPI_SOURCE, std::move(text));
  }

 private:
  std::mutex mutex_;
};

}  // namespace
}  // namespace roundel

ROUNDEL_MODULE_FUNCTION void roundel_join_mpi_ranks(roundel::Ranks* ranks) {
  ranks->messenger = std::make_unique<roundel::MpiMessenger>(*ranks);
}

/// Open MPI's text begins with its name and version: "Open MPI v4.1.4, package: …".
ROUNDEL_MODULE_FUNCTION void roundel_mpi_version(std::string* version) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  roundel::check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  version->assign(text, static_cast<std::size_t>(length));
  version->resize(std::min(version->find_first_of(",\n"), version->size()));
}
