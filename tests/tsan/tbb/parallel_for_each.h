#pragma once
// For thread sanitizer builds only: see parallel_for.h.
#include <cstddef>
#include <iterator>
#include <vector>

#include "tbb/parallel_for.h"

namespace tbb {

template <typename Container, typename Body>
void parallel_for_each(Container& items, const Body& body) {
  std::vector<decltype(&*std::begin(items))> pointers;
  for (auto& item : items) pointers.push_back(&item);
  parallel_for(std::size_t{0}, pointers.size(), [&](std::size_t i) { body(*pointers[i]); });
}

}  // namespace tbb
