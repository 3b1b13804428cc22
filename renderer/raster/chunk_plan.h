#pragma once
#include <algorithm>
#include <cstdint>

namespace roundel {

/// Maximum circles of a chunk.
inline constexpr std::uint64_t kMaxChunkCircles = std::uint64_t{1} << 24;

/// Circles begin .. end − 1, which go through all stages together.
struct Chunk {
  std::uint64_t begin, end;
  std::uint32_t number;  ///< number in the frame, front chunk first

  std::uint64_t count() const { return end - begin; }
  bool is_last() const { return begin == 0; }
};

/// A frame's chunks, from the front (the last circles) to the back. The first is small, since it
/// often saturates the image; later ones grow.
class ChunkPlan {
 public:
  struct Sizes {
    std::uint64_t first, largest;  ///< circles
    /// Each chunk multiplies the number of circles so far by this; 0: the second chunk takes all
    /// others, up to `largest`.
    std::uint64_t growth;
  };

  /// `first_poll`: number of the first chunk after which the backend is asked for its result. It
  /// is also asked after each later chunk and the last one. Waiting for a device may take longer
  /// than drawing.
  ChunkPlan(std::uint64_t count, const Sizes& sizes, std::uint32_t first_poll = 0)
      : count_(count), sizes_(sizes), first_poll_(first_poll), end_(count), size_(sizes.first) {}
  static ChunkPlan of_equal_chunks(std::uint64_t count, std::uint64_t size) {
    return {count, {size, size, 0}};
  }

  ChunkPlan polling_each_chunk() const { return {count_, sizes_}; }

  /// Empty if no circles are left.
  Chunk chunk() const { return {end_ - std::min(end_, size_), end_, number_}; }
  bool polls_now() const { return number_ >= first_poll_ || chunk().is_last(); }

  /// Goes on to the next chunk, further back.
  void advance() {
    end_ = chunk().begin;
    ++number_;
    size_ = sizes_.largest;
    if (sizes_.growth > 0) size_ = std::min(size_, (count_ - end_) * (sizes_.growth - 1));
  }
  /// Repeats the current chunk, or starts again if earlier ones were not asked for.
  void repeat() {
    if (number_ <= first_poll_) *this = ChunkPlan(count_, sizes_, first_poll_);
  }
  /// Repeats with at most half as many circles, rounded up, in this and all later chunks.
  void halve() {
    size_ = sizes_.largest = std::max<std::uint64_t>((chunk().count() + 1) / 2, 1);
    sizes_.first = std::min(sizes_.first, size_);
    repeat();
  }
  void take_all() { *this = of_equal_chunks(count_, std::max<std::uint64_t>(count_, 1)); }

 private:
  std::uint64_t count_;
  Sizes sizes_;
  std::uint32_t first_poll_;
  std::uint64_t end_, size_;
  std::uint32_t number_ = 0;
};

}  // namespace roundel
