#pragma once
#include <cstddef>
#include <span>

#include "renderer/generate/circle.h"

namespace roundel {

/// A frame's circles in paint order and frame space that need not lie in memory: whoever paints
/// asks for runs of them, in whatever order, and never for those that nobody will see.
class CircleFeed {
 public:
  virtual ~CircleFeed() = default;
  CircleFeed(const CircleFeed&) = delete;
  CircleFeed& operator=(const CircleFeed&) = delete;

  virtual std::size_t count() const = 0;
  /// Writes circles first .. first + n − 1 (n = the size of both spans) but for their depths, which
  /// painting does not read. May be called from many threads at once; starts no tasks.
  virtual void read(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const = 0;
  /// How many neighbours cost little more than one of them.
  virtual std::size_t cheap_run() const = 0;
  /// All circles, where they are in memory; else null.
  virtual const Circles* in_memory() const { return nullptr; }

  /// read() by all threads, which may take a while.
  void read_in_parallel(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const;
  /// All circles: in_memory(), or `made`, which gets them.
  const Circles& all(Circles& made) const;

 protected:
  CircleFeed() = default;
};

/// Circles that are all there.
class MemoryFeed final : public CircleFeed {
 public:
  /// Keeps a reference to `circles`.
  explicit MemoryFeed(const Circles& circles) : circles_(circles) {}

  std::size_t count() const override { return circles_.count(); }
  void read(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override;
  std::size_t cheap_run() const override { return 1; }
  const Circles* in_memory() const override { return &circles_; }

 private:
  const Circles& circles_;
};

}  // namespace roundel
