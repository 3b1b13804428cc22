#pragma once
#include <cstddef>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// The pictures of one result as a script that hands them to the report's page: a page from the
/// file system may load scripts, but neither read files nor the pixels of its pictures. Values are
/// the files' own; pictures that are too large for a page are reduced. Empty where no file can be
/// read. Throws Error as read_picture does; of a result that could not be compared it shows what
/// can be read.
std::string report_pictures(std::size_t index, const PairResult& result);

/// The page of report/, with its style and scripts in it, for a title (as HTML), the data (as JSON
/// fit for a <script>) and what is there without scripts (as HTML).
std::string report_page(const std::string& title, const std::string& data,
                        const std::string& table);

}  // namespace roundel
