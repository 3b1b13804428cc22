#include "tools/roundel/export/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "renderer/base/error.h"

namespace roundel {
namespace {

/// A process on its own.
class SingleRank final : public Ranks {
 public:
  explicit SingleRank(const LocalRank& local) : local_(local) {}
  int index() const override { return 0; }
  int count() const override { return 1; }
  LocalRank local() const override { return local_; }
  void hand_out(FrameList frames) override { source_.emplace(std::move(frames)); }
  std::optional<std::int64_t> next() override { return source_->next(); }
  void stop() override {}
  bool has_frames() const override { return false; }
  ExportCounts others() const override { return {}; }
  bool wait_for_others(double /*seconds*/) override { return true; }
  std::vector<RankProblem> take_problems() override { return {}; }
  std::vector<RankReport> take_reports() override { return {}; }
  void dismiss(int /*exit_code*/) override {}
  void order_bands(std::optional<std::int64_t> /*frame*/) override {}
  void receive_band(int /*rank*/, std::span<std::uint8_t> /*bytes*/) override {}
  std::optional<std::int64_t> wait_for_order() override { return std::nullopt; }
  void send_band(std::span<const std::uint8_t> /*bytes*/) override {}
  void send_failure(const std::string& /*message*/) override {}
  void note(const ExportCounts& /*counts*/) override {}
  int end(const RankReport& report) override { return report.exit_code; }

 private:
  LocalRank local_;
  std::optional<ListSource> source_;
};

int environment_number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

int mpirun_size() {
  return environment_number("OMPI_COMM_WORLD_SIZE", 1);
}

std::unique_ptr<Ranks> join_ranks(bool alone) {
  // srun --mpi=pmix does not set Open MPI's own variables.
  const bool has_others = mpirun_size() > 1 || std::getenv("PMIX_RANK") != nullptr;
  if (alone || !has_others) {
    const LocalRank local = {environment_number("OMPI_COMM_WORLD_LOCAL_RANK", 0),
                             environment_number("OMPI_COMM_WORLD_LOCAL_SIZE", 1)};
    return std::make_unique<SingleRank>(local);
  }
  std::unique_ptr<Ranks> ranks = make_mpi_ranks();
  if (!ranks) {
    throw Error(ExitCode::kUsage,
                "this program was built without MPI: under mpirun it needs --shard auto");
  }
  return ranks;
}

}  // namespace roundel
