#pragma once
#include <array>
#include <string>

#include "renderer/compare/picture_difference.h"

namespace roundel {

/// Compares two pictures with the same levels, channel by channel. Throws Error(kInvalidScene) for
/// limits that need a plain picture.
PictureDifference compare_levels(const Picture& a, const Picture& b, const Tolerance& tolerance);

/// Pixels of the shown layer's part with a difference in any channel.
struct LevelMarks {
  PixelSet different, over;  ///< at all; by more than the channel's limit
};
LevelMarks mark_levels(const Picture& a, const Picture& b, const Tolerance& tolerance);

/// Returns the largest |a − b| that `tolerance` allows a channel.
double channel_limit(const Tolerance& tolerance, const std::string& part,
                     const std::string& channel);

/// Returns which patterns of `tolerance` fit no channel, and the channels if there are such.
PictureDifference::ChannelNames channel_names(const Picture& picture, const Tolerance& tolerance);

/// Returns channel_limit() of a plain picture's channels; only floats have EXR's names.
std::array<double, 4> plain_limits(const Picture& picture, const Tolerance& tolerance);

/// Returns ", Z 0.5 at (3, 4) in 12 pixels, …": the channels of EXR levels that differ, at most
/// eight. Empty for other pictures.
std::string channel_places_text(const PictureDifference& difference);

}  // namespace roundel
