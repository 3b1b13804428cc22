#pragma once
#include <string>
#include <vector>

#include "renderer/format/spec.h"

namespace roundel {

/// The format of the results of many pictures.
const Spec& results_spec();
/// Its JSON Schema. scenes/results.schema.json is this text.
std::string results_json_schema();

/// The words in it, in the order of the values of PictureDifference::Kind, PairState and, from the
/// second on, Origin.
std::vector<std::string> kind_names();
std::vector<std::string> state_names();
std::vector<std::string> origin_names();

}  // namespace roundel
