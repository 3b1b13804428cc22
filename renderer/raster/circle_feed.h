#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "renderer/raster/circle.h"

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

 protected:
  CircleFeed() = default;
};

/// Circles that are all there.
class MemoryFeed final : public CircleFeed {
 public:
  /// Keeps a reference to `circles`.
  explicit MemoryFeed(const Circles& circles) : circles_(circles) {}

  std::size_t count() const override { return circles_.count(); }
  void read(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    std::copy_n(circles_.shapes.begin() + first, shapes.size(), shapes.begin());
    std::copy_n(circles_.paints.begin() + first, paints.size(), paints.begin());
  }
  std::size_t cheap_run() const override { return 1; }

 private:
  const Circles& circles_;
};

}  // namespace roundel
