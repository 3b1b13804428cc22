#pragma once
#include <string>

namespace roundel {

/// The name (UTF-8) as file systems see it that tell neither case nor the forms of Unicode apart:
/// two names with one key cannot lie in one folder there. Names beyond ASCII need the module of
/// utf8proc; throws Error(kRuntimeFailure) where that is missing.
std::string file_key(const std::string& name);

/// The name in Unicode's composed form (NFC): é is one character, not e and an accent. The same
/// holds for its module. Names that are no UTF-8 stay as they are.
std::string composed(const std::string& name);

/// Its characters beyond ASCII by their numbers, for people who could not tell forms apart:
/// `e\u{301}.png`.
std::string spelled_out(const std::string& name);

}  // namespace roundel
