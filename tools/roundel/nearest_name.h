#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// ` (did you mean "NAME"?)` with the nearest of the names, or nothing where none is near: at most
/// a third of the letters, and at least one, may differ.
std::string did_you_mean(std::string_view written, const std::vector<std::string>& names);

/// The text, cut where it is long; bytes that are not printable ASCII are escaped, so that nothing
/// from a command line or file can steer a terminal.
std::string printable(std::string_view text);
/// printable(text) in quotation marks.
std::string in_quotes(std::string_view text);

}  // namespace roundel
