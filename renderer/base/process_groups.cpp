#include "renderer/base/process_groups.h"

#include <fmt/format.h>

#include <fstream>

namespace roundel {
namespace {

/// True if a list "cpu,memory" has the name.
bool has_name(const std::string& list, const std::string& name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

void for_each_group(const std::string& controller, const std::string& groups,
                    const std::string& mount,
                    const std::function<void(const std::string& folder, bool is_v1)>& visit) {
  // Where a container does not see its groups by their own names, its mount is its own group.
  visit(mount, false);
  visit(mount + "/" + controller, true);
  std::ifstream lines(groups);
  std::string number, controllers, group;
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
         std::getline(lines, group)) {
    const bool is_v1 = has_name(controllers, controller);
    if (!is_v1 && !controllers.empty()) continue;
    const std::string folder = is_v1 ? mount + "/" + controller : mount;
    for (; group.size() > 1; group.resize(group.rfind('/')))
      visit(fmt::format("{}{}", folder, group), is_v1);
  }
}

}  // namespace roundel
