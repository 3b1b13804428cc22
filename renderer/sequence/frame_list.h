#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace roundel {

/// Frame numbers in rising order, each once.
using FrameList = std::vector<std::int64_t>;

/// Frames before 0 show the state of frame 0: a film may start with stills of it.
inline constexpr std::int64_t kMinFrame = -10'000'000;
inline constexpr std::size_t kMaxFrames = 10'000'000;  ///< numbers in one list

/// Reads a list of frames: items between commas, each a frame or a range FIRST-LAST, with a step
/// as in FIRST-LASTxSTEP or FIRST-LAST:STEP: "1-10,15,20-30x2". Numbers may be negative ("-5--1")
/// and spaces may stand around numbers. "@PATH" reads the list from a file, where the end of a line
/// is a comma too and # starts a comment. Order and repetition do not matter.
///
/// Throws Error(kUsage) "expected … , got …" for anything else: no frame, a range that falls, a
/// step below 1, a number outside [kMinFrame, kMaxFrame], more than kMaxFrames frames, a file that
/// cannot be read.
FrameList parse_frames(const std::string& text);

/// The shortest usual spelling: "1-10,15,20-30x2". parse_frames() gives the frames back. Empty for
/// no frames. `frames` rise.
std::string frames_text(const FrameList& frames);

}  // namespace roundel
