#pragma once
#include <cstdint>

namespace roundel::cuda {

/// Tuning of blend_tiles_kernel, measured on an H200 at 1024 × 1024 pixels.
struct BlendPolicy {
  /// Tiles of 256 threads, with 64 registers and few spills. With three tiles and no spills, short
  /// lists take a few percent longer and long ones 15; with five up to a fifth.
  static constexpr int kTilesPerProcessor = 4;
  static constexpr int kAreaTilesPerProcessor = 3;  ///< with coverage by area
  /// Warps of a block if they are independent: fewer wait for a block's last warp. With eight, long
  /// lists take 1 to 2 percent longer and coverage by area up to 3, short lists 1 percent less;
  /// with two, up to 32 circles take 1 to 2 percent longer.
  static constexpr int kIndependentWarps = 4;
  /// Capacity of a warp for shares; batches with more are split.
  static constexpr std::uint32_t kMaxShares = 512;
  /// Words of 32 overlaps that a warp reads together.
  static constexpr int kListWords = 4;
  /// Unlisted circles that a thread tests in a round. With four more lanes are idle in the last
  /// round; with two there are more rounds.
  static constexpr std::uint32_t kCirclesPerThread = 3;
  /// Rounds end with this many circles. Most circles are far from a tile, and warps that paint few
  /// wait for each other. 96 are as good.
  static constexpr std::uint32_t kMinFound = 64;
  static constexpr std::uint32_t kMaxFound = 1024;
  /// Boxes up to this many pixels a side are tested in registers: compute_spans() goes through
  /// whole rows, in two to three times the instructions.
  static constexpr int kTestedSide = 6;
  /// For batches of specks: less than half of the tests.
  static constexpr int kShorterTestedSide = 4;
  /// Whole circles before the first poll whether the subtile is done, and between polls.
  static constexpr int kFirstPoll = 4, kPollInterval = 4;
  /// For coverage by area, in passes: polling costs more than some needless circles. With four
  /// rand10k and biglittle take 1 percent longer.
  static constexpr int kAreaPollInterval = 8;
};

}  // namespace roundel::cuda
