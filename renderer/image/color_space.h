#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace roundel {

// How a picture's samples must be interpreted, worded for messages; "" for sRGB.

/// Text for a profile whose name contains sRGB.
inline constexpr const char* kSrgbProfile = "an ICC profile of sRGB";

/// "an ICC profile (1a2b3c4d)", with the profile's checksum. Never empty.
std::string profile_text(std::span<const std::uint8_t> profile);
/// "cICP BT.2020, PQ", for codes of ITU-T H.273, the four bytes of a PNG's cICP chunk.
std::string code_points_text(std::span<const std::uint8_t, 4> codes);
/// "primaries of Display P3", for the chromaticities of a PNG's cHRM chunk: x and y of white, red,
/// green and blue.
std::string primaries_text(const std::array<double, 8>& places);

/// The Exif orientation, 1 to 8: how a viewer turns and flips the picture (1: not at all). Invalid
/// data give 1, as in viewers.
int exif_orientation(std::span<const std::uint8_t> exif);

}  // namespace roundel
