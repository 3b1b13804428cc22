#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace roundel {

// How a picture's samples are to be shown, in words as messages have them; "" for sRGB.

/// How a profile is told that has the name sRGB in it.
inline constexpr const char* kSrgbProfile = "an ICC profile of sRGB";

/// "an ICC profile (1a2b3c4d)", with the profile's checksum. Never empty.
std::string profile_text(std::span<const std::uint8_t> profile);
/// "cICP BT.2020, PQ": of the codes of ITU-T H.273, four bytes as in a PNG's cICP chunk.
std::string code_points_text(std::span<const std::uint8_t, 4> codes);
/// "primaries of Display P3", of the chromaticities in a PNG's cHRM chunk: x and y of white, red,
/// green and blue.
std::string primaries_text(const std::array<double, 8>& places);

/// The Exif orientation, 1 to 8: how a viewer turns and flips the picture (1: not at all). What
/// cannot be read is 1, as for viewers. Only this one number is wanted, of 12 bytes.
int exif_orientation(std::span<const std::uint8_t> exif);

}  // namespace roundel
