#include "renderer/compare/golden_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr const char* kAlternative = ".alt-";

/// Index of a name's extension.
std::size_t ending_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name.size() : dot;
}

}  // namespace

std::string picture_of_alternative(const std::string& name) {
  const std::size_t ending = ending_of(name);
  const std::size_t other = name.rfind(kAlternative, ending);
  const std::size_t file = name.rfind('/') + 1;  // npos + 1 is 0
  const bool has_word =
      other != std::string::npos && other + std::string(kAlternative).size() < ending;
  if (!has_word || other <= file) return "";
  return name.substr(0, other) + name.substr(ending);
}

std::map<std::string, std::vector<std::string>> alternatives_by_picture(
    const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> others;
  for (const std::string& name : names) {
    const std::string picture = picture_of_alternative(name);
    if (!picture.empty()) others[picture].push_back(name);
  }
  return others;
}

std::string alternative_name(const std::string& picture, int number) {
  const std::size_t ending = ending_of(picture);
  return fmt::format("{}{}{}{}", picture.substr(0, ending), kAlternative, number,
                     picture.substr(ending));
}

bool is_windows_name(const std::string& name) {
  if (name.find_first_of("<>:\"\\|?*") != std::string::npos) return false;
  const std::filesystem::path path(name);
  return std::all_of(path.begin(), path.end(), [](const std::filesystem::path& part) {
    const std::string text = part.string();
    std::string device = lower_case(text.substr(0, text.find('.')));
    device.erase(device.find_last_not_of(' ') + 1);
    if (device.size() == 4 && device.back() >= '1' && device.back() <= '9') device.back() = '1';
    const auto& devices = {"con", "prn", "aux", "nul", "com1", "lpt1"};
    return !text.ends_with('.') && !text.ends_with(' ') &&
           std::find(devices.begin(), devices.end(), device) == devices.end();
  });
}

}  // namespace roundel
