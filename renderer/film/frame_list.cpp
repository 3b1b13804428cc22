#include "renderer/film/frame_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

[[noreturn]] void refuse(std::string_view expected, std::string_view got) {
  throw Error(ExitCode::kUsage, fmt::format("expected {}, got {}", expected, roundel::quoted(got)));
}

class ItemReader {
 public:
  explicit ItemReader(std::string_view item) : item_(item), rest_(item) {}

  void add_to(FrameList& frames) {
    const std::int64_t first = take_number();
    std::int64_t last = first, step = 1;
    if (take('-')) {
      last = take_number();
      if (last < first) refuse("a range from low to high", item_);
      if (take('x') || take(':')) step = take_number();
      if (step < 1) refuse("a step of at least 1", item_);
    }
    skip_spaces();
    if (!rest_.empty()) refuse("frames like 1-10,15,20-30x2", item_);
    const auto count = static_cast<std::uint64_t>((last - first) / step + 1);
    if (count > kMaxFrames - frames.size())
      throw Error(ExitCode::kUsage, fmt::format("expected at most {} frames, got more with {}",
                                                kMaxFrames, roundel::quoted(item_)));
    for (std::int64_t frame = first; frame <= last; frame += step) frames.push_back(frame);
  }

 private:
  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
  }
  bool take(char expected) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int64_t take_number() {
    skip_spaces();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc::invalid_argument) refuse("frames like 1-10,15,20-30x2", item_);
    if (error != std::errc() || number < kMinFrame || number > kMaxFrame) {
      refuse(fmt::format("frames from {} to {}", kMinFrame, kMaxFrame), item_);
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  std::string_view item_, rest_;
};

std::string read_list_file(const std::string& path) {
  try {
    const InputFile file(path);
    if (file.size() > kMaxFileBytes) refuse("a list of frames of at most 64 MiB", path);
    return file.read(kMaxFileBytes);
  } catch (const Error& error) {  // an option is wrong, not a scene
    throw Error(ExitCode::kUsage, fmt::format("expected a file with frames: {}", error.what()));
  }
}

/// Removes comments and makes line ends commas. Items may be empty.
std::string joined_lines(std::string_view text) {
  std::string line;
  bool in_comment = false;
  for (const char c : text) {
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (!in_comment) line += c == '\n' ? ',' : c;
  }
  return line;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

constexpr int kMaxShards = 1'000'000;

std::optional<int> environment_number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::optional<int> number = to_number<int>(text);
  if (!number) {
    refuse(fmt::format("a whole number in {}", name), text);
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

/// Ranks count from 0.
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

FrameList parse_frames(const std::string& text) {
  const bool is_file = text.starts_with('@');
  const std::string list = is_file ? joined_lines(read_list_file(text.substr(1))) : text;
  FrameList frames;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string_view item = std::string_view(list).substr(begin, comma - begin);
    if (!is_blank(item))
      ItemReader(item).add_to(frames);
    else if (!is_file)
      refuse("frames like 1-10,15,20-30x2", text);
    begin = comma + 1;
  }
  if (frames.empty()) refuse("at least one frame", text);
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

Shard parse_shard(const std::string& text) {
  constexpr std::string_view kAuto = "auto";
  const std::size_t slash = text.find('/');
  const std::string before = text.substr(0, slash);
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : to_number<int>(std::string_view(text).substr(slash + 1));
  const bool is_auto = before == kAuto && (slash == std::string::npos || count);
  std::optional<Shard> shard;
  if (is_auto) {
    shard = automatic_shard(count);
  } else if (const auto index = to_number<int>(before); index && count) {
    shard = Shard{*index, *count};
  }
  if (!shard || shard->count < 1 || shard->count > kMaxShards || shard->index < 1 ||
      shard->index > shard->count) {
    refuse("I/N with I from 1 to N, auto or auto/N", text);
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
