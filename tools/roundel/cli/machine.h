#pragma once
#include <memory>
#include <vector>

#include "renderer/machine.h"

namespace roundel {

/// find_backend(), whose reason is printed with --verbose.
ChosenBackend choose_backend(const MachineOptions& options, PictureWork work = kEndlessWork);

/// Which of the processes on one machine this is; they share its devices and cores.
struct LocalRank {
  int index = 0;
  int count = 1;
};

/// For a sequence: on the CPU `at_once`, with one thread each where there are several; on CUDA
/// `at_once` a device, of those asked for or all of the machine. Several local ranks divide the
/// devices, or take turns where there are fewer.
std::vector<std::unique_ptr<Rasterizer>> make_rasterizers(Backend backend,
                                                          const MachineOptions& options,
                                                          const LocalRank& local_rank, int at_once);
/// The share of `devices` of a local rank.
std::vector<int> devices_of(const std::vector<int>& devices, const LocalRank& local_rank);

/// CPU threads for a rank: what was asked for; else, where several ranks share a machine without
/// being bound to cores of their own, an equal share of them; else 0, for default_threads().
int threads_of(int asked, const LocalRank& local_rank);

const char* backend_name(Backend backend);

/// While it lives, all CPU work of the process keeps to this number of threads (0:
/// default_threads()).
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads = 0);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace roundel
