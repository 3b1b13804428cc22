#pragma once
#include <string>

#include "renderer/compare/picture.h"

namespace roundel {

/// Returns how two pictures differ in channels, parts, levels or display, after "they are":
/// "pictures of different channels: Z only in the first". Empty if they do not, or if the shapes of
/// plain pictures tell it.
std::string other_structure(const Picture& a, const Picture& b);

/// Returns the names of a picture of floats' channels: "B, G, R", at most eight.
std::string channels_text(const Picture& picture);

/// Fills `picture` from its levels: with the first layer of R, G, B or Y, else the first channel.
void show_a_layer(Picture& picture);

/// False for an EXR that has no layer of R, G, B or Y.
bool shows_colors(const Picture& picture);

/// Gives a plain picture of floats the level that the same channels of an EXR would have.
void give_levels(Picture& picture);

/// Gives two EXR pictures with the same display window one data window; missing pixels become 0.
/// Does nothing if that takes more than half of the memory, or if a part has levels.
void unify_data_windows(Picture& a, Picture& b);

}  // namespace roundel
