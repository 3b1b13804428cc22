#include "renderer/base/cgroups.h"

#include <fstream>

namespace roundel {
namespace {

/// `list`: as "cpu,memory".
bool has_name(const std::string& list, const std::string& name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

void for_each_cgroup(const std::string& controller, const std::string& cgroup_file,
                     const std::string& cgroup_mount,
                     const std::function<void(const std::string& folder, bool is_v1)>& visit) {
  // In a container that cannot see its groups' names, the mount is its group.
  const std::string v1_mount = cgroup_mount + "/" + controller;
  visit(cgroup_mount, false);
  visit(v1_mount, true);
  std::ifstream lines(cgroup_file);
  std::string number, controllers, group;
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
         std::getline(lines, group)) {
    const bool is_v1 = has_name(controllers, controller);
    if (!is_v1 && !controllers.empty()) continue;
    for (; group.size() > 1; group.resize(group.rfind('/')))
      visit((is_v1 ? v1_mount : cgroup_mount) + group, is_v1);
  }
}

}  // namespace roundel
