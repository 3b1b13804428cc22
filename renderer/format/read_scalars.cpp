#include "renderer/format/read_scalars.h"

#include "renderer/format/number_text.h"

namespace roundel {

bool read_boolean(ValidNode node) {
  return node.text() == "true";
}

double read_number(ValidNode node) {
  return parse_number(node.text()).value.value() + 0.0;  // -0 would be an alpha of snow
}

std::int64_t read_integer(ValidNode node) {
  return parse_integer(node.text()).value.value();
}

std::string read_text(ValidNode node) {
  return std::string(node.text());
}

bool is_plain_number(ValidNode node) {
  return !node.is_map() && !node.is_list() && node.is_plain() &&
         parse_number(node.text()).value.has_value();
}

}  // namespace roundel
