// Tiles with so many circles that several threads share them.
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/raster/cpu/blend_tiles.h"

namespace roundel::cpu {
namespace {

/// The circles of one slab in a tile, and what they cover of it: see find_specks().
struct FoundSpecks {
  BlendTileArgs args;
  Buffer<std::uint32_t> places;
};

/// Those of up to `most` slabs that have some, front to back, of the `num_slabs` that are left.
std::vector<FoundSpecks> take_slabs(const BlendTileArgs& args, std::size_t most,
                                    std::size_t& num_slabs) {
  std::vector<FoundSpecks> taken;
  while (num_slabs > 0 && taken.size() < most) {
    BlendTileArgs of_slab = args;
    of_slab.slabs = args.slabs.subspan(--num_slabs, 1);
    const std::uint32_t* const offset = &of_slab.slabs.front().offsets[args.bin()];
    if (offset[0] < offset[1])
      taken.push_back({of_slab, Buffer<std::uint32_t>(offset[1] - offset[0])});
  }
  return taken;
}

/// True where most of the specks lie in one of the bands.
bool are_crowded(const FoundSpecks& found, int bands) {
  const std::size_t band_pixels = found.args.state.plane_size() / static_cast<std::size_t>(bands);
  std::vector<std::size_t> counts(static_cast<std::size_t>(bands));
  for (const std::uint32_t place : found.places) ++counts[(place >> 16) / band_pixels];
  return 4 * *std::max_element(counts.begin(), counts.end()) > 3 * found.places.size();
}

/// For a list of specks of which most lie in one band: all threads find what the circles of a slab
/// each cover, while one of them composites what was found before. False, and the state as it was,
/// where this is no such list.
bool blend_crowded_specks(const BlendTileArgs& args, int bands, bool& is_opaque) {
  constexpr int kLargestTile = 32;  // a pixel's number has 16 bits
  if (args.state.tile_size > kLargestTile ||
      std::any_of(args.slabs.begin(), args.slabs.end(),
                  [](const SlabLists& slab) { return slab.shapes == nullptr; }))
    return false;
  std::size_t num_slabs = args.slabs.size();
  Buffer<float> before;
  std::atomic<bool> are_specks = true;
  std::vector<FoundSpecks> found;
  for (;;) {
    // The first one shows whether this is such a list.
    std::vector<FoundSpecks> coming =
        take_slabs(args, before.empty() ? 1 : kSlabsAtOnce, num_slabs);
    if (found.empty() && coming.empty()) return true;
    tbb::parallel_invoke(
        [&] {
          for (const FoundSpecks& some : found) {
            is_opaque = paint_specks(some.args, some.places.data());
            if (is_opaque) break;
          }
        },
        [&] {
          tbb::parallel_for(std::size_t{0}, coming.size(), [&](std::size_t i) {
            if (!find_specks(coming[i].args, coming[i].places.data())) are_specks = false;
          });
        });
    if (is_opaque) return true;
    if (!are_specks || (before.empty() && !are_crowded(coming.front(), bands))) break;
    if (before.empty()) {
      before = Buffer<float>(state_size(args.state.tile_size, args.state.num_planes));
      std::copy_n(args.state.planes, before.size(), before.data());
    }
    found = std::move(coming);
  }
  std::copy(before.begin(), before.end(), args.state.planes);
  return false;
}

/// Each band composites some rows. Circles that no row of a band touches cost it little.
bool blend_bands(BlendTile* blend_tile, const BlendTileArgs& args, int bands) {
  const int rows = args.state.tile_size / bands, row_size = args.state.tile_size;
  const std::size_t floats = state_size(row_size, args.state.num_planes);
  Buffer<float> states(static_cast<std::size_t>(bands) * floats);
  std::atomic<bool> is_opaque = true;
  tbb::parallel_for(0, bands, [&](int band) {
    BlendTileArgs of_band = args;
    of_band.state.planes = states.data() + static_cast<std::size_t>(band) * floats;
    of_band.is_fresh = false;
    of_band.first_row = band * rows;
    of_band.last_row = of_band.first_row + rows - 1;
    const int first = of_band.first_row * row_size, size = rows * row_size;
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(args.state.num_planes); ++plane) {
      std::fill_n(of_band.state.plane(plane), row_size * row_size, 0.0f);
      std::copy_n(args.state.plane(plane) + first, size, of_band.state.plane(plane) + first);
    }
    if (!blend_tile(of_band)) is_opaque = false;
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(args.state.num_planes); ++plane)
      std::copy_n(of_band.state.plane(plane) + first, size, args.state.plane(plane) + first);
  });
  return is_opaque;
}

}  // namespace

bool blend_long_list(BlendTile* blend_tile, const BlendTileArgs& args, int bands,
                     bool may_be_specks) {
  bool is_opaque = false;
  return may_be_specks && blend_crowded_specks(args, bands, is_opaque)
             ? is_opaque
             : blend_bands(blend_tile, args, bands);
}

}  // namespace roundel::cpu
