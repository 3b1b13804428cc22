#pragma once
#include <cstddef>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// The pictures of one result as a script that hands them to the report's page, in base64: a page
/// from the file system may load scripts, but neither read files nor the pixels of its pictures.
struct ReportPictures {
  std::string script;
  bool is_rounded = false;  ///< to the 8 bits that are shown, of files that have more
  bool is_part = false;     ///< of a large picture, the part around the densest difference
  int x = 0, y = 0;         ///< where the part begins
};

/// Reads the result's files. Throws Error as read_picture does.
ReportPictures report_pictures(std::size_t index, const PairResult& result);

/// The page of report/, with its style and scripts in it, for a title (as HTML) and the data (as
/// JSON fit for a <script>).
std::string report_page(const std::string& title, const std::string& data);

}  // namespace roundel
