#pragma once
#include <algorithm>
#include <cstdint>

namespace roundel {

/// Circles that a backend takes at once, at most.
inline constexpr std::uint64_t kMostCirclesAtOnce = std::uint64_t{1} << 24;

/// Circles begin .. end − 1 of a frame, which go through the stages together.
struct Chunk {
  std::uint64_t begin, end;
  std::uint32_t number;  ///< in this frame, from the front (0) to the back

  std::uint64_t count() const { return end - begin; }
  bool is_last() const { return begin == 0; }
};

/// In which chunks a frame's circles are drawn, from the front (the last circles) to the back.
/// Chunks grow, because where an image saturates the first small one is all that is needed.
class ChunkPlan {
 public:
  struct Sizes {
    std::uint64_t first, largest;  ///< circles
    /// Each chunk makes the circles so far this many times as many; 0: the second one takes all the
    /// rest that `largest` allows.
    std::uint64_t growth;
  };

  /// `first_asked`: the backend is asked for its result after this chunk and those behind it, and
  /// after the last one. Not after each, where it takes longer to wait for a device than to draw.
  ChunkPlan(std::uint64_t count, const Sizes& sizes, std::uint32_t first_asked = 0)
      : count_(count), sizes_(sizes), first_asked_(first_asked), end_(count), size_(sizes.first) {}
  /// All chunks have the same number of circles.
  static ChunkPlan of_equal_chunks(std::uint64_t count, std::uint64_t size) {
    return {count, {size, size, 0}};
  }

  ChunkPlan asking_after_each_chunk() const { return {count_, sizes_}; }

  /// The current chunk; empty where there are no circles.
  Chunk chunk() const { return {end_ - std::min(end_, size_), end_, number_}; }
  bool asks_now() const { return number_ >= first_asked_ || chunk().is_last(); }

  /// On to the next chunk, behind this one.
  void advance() {
    end_ = chunk().begin;
    ++number_;
    size_ = sizes_.largest;
    if (sizes_.growth > 0) size_ = std::min(size_, (count_ - end_) * (sizes_.growth - 1));
  }
  /// Nothing of the current chunk was drawn, or of one before it that nobody asked after.
  void repeat() {
    if (number_ <= first_asked_) *this = ChunkPlan(count_, sizes_, first_asked_);
  }
  /// The same, and no chunk is to have more than half as many circles again, rounded up.
  void halve() {
    size_ = sizes_.largest = std::max<std::uint64_t>((chunk().count() + 1) / 2, 1);
    sizes_.first = std::min(sizes_.first, size_);
    repeat();
  }
  /// All circles at once, from the front again.
  void take_all() { *this = of_equal_chunks(count_, std::max<std::uint64_t>(count_, 1)); }

 private:
  std::uint64_t count_;
  Sizes sizes_;
  std::uint32_t first_asked_;
  std::uint64_t end_, size_;
  std::uint32_t number_ = 0;
};

}  // namespace roundel
