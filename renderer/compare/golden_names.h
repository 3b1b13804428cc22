#pragma once
#include <map>
#include <string>
#include <vector>

namespace roundel {

/// A picture may have several goldens, each of which does: beside `logo.png` any
/// `logo.alt-WORD.png`. The name of the picture that a golden is another one of, `film/0007.png`
/// for `film/0007.alt-dark.png`; empty for all other names.
std::string picture_of_other_golden(const std::string& name);

/// Those of `names` that are such others, by their picture, in order.
std::map<std::string, std::vector<std::string>> other_goldens(
    const std::vector<std::string>& names);

/// The name of the picture's other golden number N, from 1: `logo.alt-1.png`.
std::string other_golden(const std::string& picture, int number);

}  // namespace roundel
