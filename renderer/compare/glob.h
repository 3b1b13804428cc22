#pragma once
#include <string_view>

namespace roundel {

/// True when the whole of `name` is what `pattern` describes: `*` stands for any characters, `/`
/// among them, or none; `?` for one character (of UTF-8); all else for itself. Takes time in
/// proportion to the product of the two lengths at most.
bool glob_matches(std::string_view pattern, std::string_view name);

}  // namespace roundel
