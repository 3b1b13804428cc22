#pragma once
#include <cstddef>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// Returns a result's pictures as a script that passes them to the report's page: a page from the
/// file system may load scripts, but can read neither files nor pixels. Values are those of the
/// files; pictures too large for a page are reduced. Empty if no file can be read. Throws Error as
/// read_picture does, except for results that could not be compared, which show the readable
/// pictures.
std::string report_pictures(std::size_t index, const PairResult& result);

/// Returns the page of report/, including style and scripts, with a title (as HTML), data (as JSON
/// for a <script>) and content for browsers without scripts (as HTML).
std::string report_page(const std::string& title, const std::string& data,
                        const std::string& table);

}  // namespace roundel
