#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// A result's pictures as a script for the report's page, which can read neither files nor pixels
/// from the file system. Values are those of the files; large pictures are reduced. Empty if no
/// file can be read. Throws Error as read_picture does, except for results that could not be
/// compared.
std::string report_pictures(std::size_t index, const PairResult& result);

/// True if the page itself marks the differing pixels of these pictures, which takes neither space
/// nor time here: 8 bits, one size, max-delta the only limit of a pixel.
bool marks_itself(const PairResult& result);
/// Returns the places that the page lists.
Places places_of(const Picture& golden, const Picture& actual, const Tolerance& tolerance);

/// The page of report/ with style and scripts, and these values for its {{NAME}}, as HTML or as
/// JSON for a <script>: title, maker, data, and table for browsers without scripts.
std::string report_page(const std::map<std::string_view, std::string>& values);

}  // namespace roundel
