#pragma once
#include <map>
#include <string>
#include <vector>

namespace roundel {

/// A picture may have several goldens, `logo.png` and any `logo.alt-WORD.png`, and passes if it
/// matches one. Returns `film/0007.png` for `film/0007.alt-dark.png`; empty for other names.
std::string picture_of_alternative(const std::string& name);

/// Alternatives among `names` by picture, in order.
std::map<std::string, std::vector<std::string>> alternatives_by_picture(
    const std::vector<std::string>& names);

/// Alternative N, from 1: `logo.alt-1.png`.
std::string alternative_name(const std::string& picture, int number);

/// True if Windows can have a file of this path.
bool is_windows_name(const std::string& name);

}  // namespace roundel
