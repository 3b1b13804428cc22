#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

namespace roundel {

inline constexpr int kLargestTileSize = 256;
/// Circles that a backend takes at once, at most.
inline constexpr std::uint64_t kMostCirclesAtOnce = std::uint64_t{1} << 24;

/// Walks through `count` circles in chunks from the front (the last circles) to the back. Chunks
/// grow, each making the circles so far `growth` times as many, because where pictures saturate the
/// first small chunk is all that is needed; with `fixed_size` > 0 all have that size.
class ChunkWalk {
 public:
  ChunkWalk(std::uint64_t count, std::uint64_t fixed_size, std::uint64_t first_size,
            std::uint64_t largest_size, std::uint64_t growth = 4)
      : count_(count),
        end_(count),
        size_(fixed_size > 0 ? fixed_size : first_size),
        largest_size_(fixed_size > 0 ? fixed_size : largest_size),
        growth_(growth) {}

  /// [begin, end) of the current chunk; (0, 0) when there are no circles (any more).
  std::pair<std::uint64_t, std::uint64_t> current() const {
    return {end_ - std::min(end_, size_), end_};
  }
  /// On to the next chunk, behind this one.
  void advance() {
    end_ = current().first;
    size_ = std::min((count_ - end_) * (growth_ - 1), largest_size_);
  }
  /// The current chunk does not fit: take half of it, and never more again.
  void halve() {
    const std::uint64_t taken = end_ - current().first;
    size_ = largest_size_ = std::max<std::uint64_t>(taken / 2, 1);
  }

 private:
  std::uint64_t count_, end_, size_, largest_size_, growth_;
};

}  // namespace roundel
