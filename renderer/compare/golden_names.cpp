#include "renderer/compare/golden_names.h"

#include <fmt/format.h>

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

}  // namespace roundel
