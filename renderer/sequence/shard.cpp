#include "renderer/sequence/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr int kMaxShards = 1'000'000;

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The number in an environment variable; nothing where it is not set.
std::optional<int> environment_number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::optional<int> number = whole_number(text);
  if (!number) {
    throw Error(ExitCode::kUsage, fmt::format("expected a whole number in {}, got {}", name,
                                              roundel::quoted(std::string(text))));
  }
  return number;
}

/// Array ids are those of --array: 1-4, or 0-6:2, whose shares are (ID - MIN) / STEP.
std::optional<Shard> slurm_array_shard() {
  const auto id = environment_number("SLURM_ARRAY_TASK_ID");
  if (!id) return std::nullopt;
  const auto low = environment_number("SLURM_ARRAY_TASK_MIN");
  const auto high = environment_number("SLURM_ARRAY_TASK_MAX");
  const auto count = environment_number("SLURM_ARRAY_TASK_COUNT");
  const int step = environment_number("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (!low || !high || !count || step < 1 || (*high - *low) / step + 1 != *count ||
      (*id - *low) % step != 0) {
    throw Error(ExitCode::kUsage,
                "expected a Slurm array with a regular step, like --array=1-8 or 0-14:2");
  }
  return Shard{(*id - *low) / step + 1, *count};
}

/// A rank from 0 and a number of ranks.
std::optional<Shard> rank_shard(const char* rank_name, const char* size_name) {
  const auto rank = environment_number(rank_name);
  const auto size = environment_number(size_name);
  if (!rank || !size) return std::nullopt;
  return Shard{*rank + 1, *size, true};
}

Shard automatic_shard(std::optional<int> count) {
  std::optional<Shard> shard = slurm_array_shard();
  if (!shard) shard = rank_shard("SLURM_PROCID", "SLURM_NTASKS");
  if (!shard) shard = rank_shard("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  if (!shard) {
    const auto index = environment_number("JOB_COMPLETION_INDEX");
    if (index && !count) {
      throw Error(ExitCode::kUsage,
                  "expected auto/N with the Job's number of completions, which Kubernetes does "
                  "not put into the environment");
    }
    if (index) shard = Shard{*index + 1, *count};
  }
  if (!shard) {
    throw Error(ExitCode::kUsage,
                "expected SLURM_ARRAY_TASK_ID, SLURM_PROCID, OMPI_COMM_WORLD_RANK or "
                "JOB_COMPLETION_INDEX in the environment for \"auto\"");
  }
  if (count && *count != shard->count) {
    throw Error(ExitCode::kUsage, fmt::format("expected {} shares, but the environment has {}",
                                              *count, shard->count));
  }
  return *shard;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  constexpr std::string_view kAuto = "auto";
  const std::size_t slash = text.find('/');
  const std::string before = text.substr(0, slash);
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : whole_number(std::string_view(text).substr(slash + 1));
  const bool is_auto = before == kAuto && (slash == std::string::npos || count);
  std::optional<Shard> shard;
  if (is_auto) {
    shard = automatic_shard(count);
  } else if (const auto index = whole_number(before); index && count) {
    shard = Shard{*index, *count};
  }
  if (!shard || shard->count < 1 || shard->count > kMaxShards || shard->index < 1 ||
      shard->index > shard->count) {
    throw Error(ExitCode::kUsage, fmt::format("expected I/N with I from 1 to N, auto or auto/N, "
                                              "got {}",
                                              roundel::quoted(text)));
  }
  return *shard;
}

FrameList shard_frames(const FrameList& frames, const Shard& shard, bool contiguous) {
  const auto index = static_cast<std::size_t>(shard.index - 1);
  const auto count = static_cast<std::size_t>(shard.count);
  FrameList share;
  if (contiguous) {
    const std::size_t begin = frames.size() * index / count;
    const std::size_t end = frames.size() * (index + 1) / count;
    share.assign(frames.begin() + static_cast<std::ptrdiff_t>(begin),
                 frames.begin() + static_cast<std::ptrdiff_t>(end));
  } else {
    for (std::size_t i = index; i < frames.size(); i += count) share.push_back(frames[i]);
  }
  return share;
}

}  // namespace roundel
