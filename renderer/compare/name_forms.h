#pragma once
#include <string>

namespace roundel {

/// What the module libroundel_names has, `roundel_name_form`: puts a name into Unicode's composed
/// form (NFC), with its case folded or not. Leaves what is no UTF-8.
using NameForm = void(std::string& name, bool folds_case);

}  // namespace roundel
