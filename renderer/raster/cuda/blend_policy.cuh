#pragma once
#include <cstdint>

namespace roundel::cuda {

/// Tuning of blend_tiles_kernel, measured on an H200 at 1024 × 1024 pixels.
struct BlendPolicy {
  /// Tiles of 256 threads, with 64 registers each and a few spills. With three, and none, short
  /// lists take longer by a few percent and long ones by 15; with five up to a fifth.
  static constexpr int kTilesPerProcessor = 4;
  static constexpr int kAreaTilesPerProcessor = 3;  ///< with coverage by area
  /// Warps of a block where these need nothing of each other, and leave sooner if fewer wait for
  /// the last one. With eight, long lists take 1 to 2 percent longer and coverage by area up to 3,
  /// lists of few circles 1 percent less; with two up to 32 circles take 1 to 2 percent longer.
  static constexpr int kIndependentWarps = 4;
  /// Shares of pixels that a warp keeps; where a batch of circles has more it takes a part of them
  /// at a time.
  static constexpr std::uint32_t kMostShares = 512;
  /// Words of 32 overlaps of a list that a warp looks at together.
  static constexpr int kListWords = 4;
  /// Unlisted circles that a thread looks at in a round: four leave more lanes idle in the last
  /// one, two need more rounds.
  static constexpr std::uint32_t kCirclesPerThread = 3;
  /// Rounds go on until so many are found. Most circles are far from a tile, and warps that paint
  /// few at a time wait for each other; 96 are as good.
  static constexpr std::uint32_t kEnoughFound = 64;
  static constexpr std::uint32_t kMostFound = 1024;
  /// Boxes in the subtile of at most so many pixels a side are tested in registers: compute_spans()
  /// looks at whole rows, in two to three times the instructions.
  static constexpr int kTestedSide = 6;
  /// Batches of specks have boxes of at most so many pixels a side: less than half of the tests.
  static constexpr int kShorterTestedSide = 4;
  /// Where whole circles are painted, a subtile is looked at after so many whether it is done.
  static constexpr int kFirstLook = 4, kLookInterval = 4;
  /// The same by area, in passes: to look takes longer than to paint some circles too many. With
  /// four rand10k and biglittle take 1 percent longer.
  static constexpr int kAreaLookInterval = 8;
};

}  // namespace roundel::cuda
