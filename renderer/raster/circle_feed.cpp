#include "renderer/raster/circle_feed.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace roundel {

void CircleFeed::read_in_parallel(std::size_t first, std::span<Shape> shapes,
                                  std::span<Paint> paints) const {
  constexpr std::size_t kLeastRun = 16384;  // worth a task
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, shapes.size(), kLeastRun),
                    [&](const tbb::blocked_range<std::size_t>& run) {
                      read(first + run.begin(), shapes.subspan(run.begin(), run.size()),
                           paints.subspan(run.begin(), run.size()));
                    });
}

const Circles& CircleFeed::all(Circles& made) const {
  if (in_memory() != nullptr) return *in_memory();
  made.paints_number = 0;
  made.shapes.resize_discard(count());
  made.paints.resize_discard(count());
  read_in_parallel(0, made.shapes.span(), made.paints.span());
  return made;
}

void MemoryFeed::read(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const {
  std::copy_n(circles_.shapes.begin() + first, shapes.size(), shapes.begin());
  std::copy_n(circles_.paints.begin() + first, paints.size(), paints.begin());
}

}  // namespace roundel
