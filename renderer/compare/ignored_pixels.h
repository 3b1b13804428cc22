#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "renderer/compare/picture_difference.h"

namespace roundel {

/// Reads a picture as a mask: its pixels that are not black, or with alpha not transparent. Throws
/// what read_picture() does.
std::shared_ptr<const Mask> read_mask(const std::string& path);

/// The pixels of a picture of this size that the tolerance's boxes and mask hold; nothing where it
/// has neither. Throws Error(kInvalidScene) for a mask of another size.
std::optional<PixelSet> ignored_pixels(const Tolerance& tolerance, int width, int height);

/// A copy of `b` that has the pixels of `a`, of the same shape, where they are ignored.
/// `different`: becomes how many of these differ.
Picture with_ignored_of(const Picture& a, const Picture& b, const PixelSet& ignored,
                        std::uint64_t& different);

}  // namespace roundel
