#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "renderer/compare/picture_difference.h"

namespace roundel {

/// Reads a mask of a picture's pixels that are not black, or with alpha not transparent. Throws the
/// errors of read_picture().
std::shared_ptr<const Mask> read_mask(const std::string& path);

/// Returns the pixels in the tolerance's boxes and mask, if any. Throws Error(kInvalidScene) for a
/// mask of another size.
std::optional<PixelSet> ignored_pixels(const Tolerance& tolerance, int width, int height);

/// Returns `b` with the ignored pixels of `a`, which has the same shape. `different`: number of
/// these that differ.
Picture with_ignored_of(const Picture& a, const Picture& b, const PixelSet& ignored,
                        std::uint64_t& different);

/// Returns the tolerance without a mask of another size.
Tolerance with_fitting_mask(Tolerance tolerance, int width, int height);

}  // namespace roundel
