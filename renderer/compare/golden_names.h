#pragma once
#include <map>
#include <string>
#include <vector>

namespace roundel {

/// Returns the picture that a golden is an alternative for: `film/0007.png` for
/// `film/0007.alt-dark.png`; empty for other names. A picture may have several goldens, `logo.png`
/// and any `logo.alt-WORD.png`, and passes if it matches one.
std::string picture_of_other_golden(const std::string& name);

/// Returns the alternatives among `names` by picture, in order.
std::map<std::string, std::vector<std::string>> other_goldens(
    const std::vector<std::string>& names);

/// Returns the name of alternative N, from 1: `logo.alt-1.png`.
std::string alternative_name(const std::string& picture, int number);

}  // namespace roundel
