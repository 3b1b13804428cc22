#pragma once
#include <string>

namespace roundel {

/// The page of report/, with its style and scripts in it, for a title (as HTML) and the data (as
/// JSON fit for a <script>).
std::string report_page(const std::string& title, const std::string& data);

}  // namespace roundel
