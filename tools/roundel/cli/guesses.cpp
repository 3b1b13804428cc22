#include "tools/roundel/cli/guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "renderer/base/text.h"

namespace roundel {
namespace {

struct OtherName {
  std::string_view typed;      // name in other programs
  std::string_view name;       // option here
  std::string_view text = {};  // text to type; empty for the option
};
/// Names that other tools use. Options that share a name belong to different commands.
constexpr std::array kOtherNames = {
    OtherName{"--width", "size"},
    OtherName{"--height", "size"},
    OtherName{"--resolution", "size"},
    OtherName{"-s", "size"},
    OtherName{"--out", "output"},
    OtherName{"--outfile", "output"},
    OtherName{"-f", "frame"},
    OtherName{"-f", "frames"},
    OtherName{"--start", "frames"},
    OtherName{"--end", "frames"},
    OtherName{"-j", "threads"},
    OtherName{"--jobs", "threads"},
    OtherName{"--aa", "antialias"},
    OtherName{"--smooth", "antialias"},
    OtherName{"--cpu", "backend"},
    OtherName{"--gpu", "backend"},
    OtherName{"--cuda", "backend"},
    OtherName{"--force", "overwrite"},
    OtherName{"--var", "set"},
    OtherName{"--silent", "quiet"},
    OtherName{"--debug", "verbose"},
    OtherName{"--update", "goldens", "roundel accept NAME"},
    OtherName{"--accept", "goldens", "roundel accept NAME"},
};

struct OtherCommand {
  std::string_view typed;  // name in other programs
  std::string_view name;   // command here, or option of the program
};
constexpr std::array kOtherCommands = {
    OtherCommand{"compare", "diff"},  OtherCommand{"check", "validate"},
    OtherCommand{"draw", "render"},   OtherCommand{"view", "render"},
    OtherCommand{"show", "render"},   OtherCommand{"test", "regress"},
    OtherCommand{"update", "accept"}, OtherCommand{"approve", "accept"},
    OtherCommand{"export", "render"}, OtherCommand{"-v", "--version"},
};

std::string lower_ending(const std::string& name) {
  return lower_case(std::filesystem::path(name).extension().string());
}

/// Returns the command line with the command in front; a long one is cut.
std::string with_command(std::string_view command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMaxLength = 100;
  std::string line = fmt::format("roundel {}", command);
  for (const std::string& argument : arguments) {
    const std::string word = " " + shell_word(argument);
    if (line.size() + word.size() > kMaxLength) return line + " …";
    line += word;
  }
  return line;
}

}  // namespace

std::string guess_option(const std::string& unknown, const std::vector<KnownOption>& options) {
  for (const OtherName& other : kOtherNames) {
    if (other.typed != unknown) continue;
    for (const KnownOption& option : options)
      if (option.name == other.name)
        return fmt::format(" (did you mean \"{}\"?)",
                           other.text.empty() ? option.heading : other.text);
  }
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const KnownOption& option : options) names.push_back("--" + option.name);
  return did_you_mean(unknown, names);
}

bool has_scene_ending(const std::string& name) {
  const std::string ending = lower_ending(name);
  return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

bool has_picture_ending(const std::string& name) {
  static constexpr std::array kEndings = {".png", ".exr",  ".pfm", ".jpg", ".jpeg", ".webp", ".gif",
                                          ".mp4", ".webm", ".mov", ".mkv", ".avi",  ".y4m"};
  return std::find(kEndings.begin(), kEndings.end(), lower_ending(name)) != kEndings.end();
}

std::string guess_command(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& commands) {
  const std::string& first = arguments.front();
  const auto is_command = [&](const std::string& word) {
    return std::find(commands.begin(), commands.end(), word) != commands.end();
  };
  if (first.starts_with('-')) {
    const auto command = std::find_if(arguments.begin(), arguments.end(), is_command);
    if (command != arguments.end()) {
      std::vector<std::string> rest(arguments.begin(), command);
      rest.insert(rest.end(), command + 1, arguments.end());
      return fmt::format("; options follow the command: {}", with_command(*command, rest));
    }
  }
  for (const OtherCommand& other : kOtherCommands) {
    if (other.typed == first)
      return fmt::format("; did you mean \"{}\"?",
                         with_command(other.name, {arguments.begin() + 1, arguments.end()}));
  }
  if (first.starts_with('-')) return did_you_mean(first, {"--help", "--version"});
  const bool compares =
      arguments.size() >= 2 && has_picture_ending(first) && has_picture_ending(arguments[1]);
  const char* const meant = has_scene_ending(first)     ? "render"
                            : compares                  ? "diff"
                            : has_picture_ending(first) ? "info"
                                                        : nullptr;
  if (meant != nullptr)
    return fmt::format("; did you mean \"{}\"?", with_command(meant, arguments));
  std::vector<std::string> names = {"--version", "--help"};
  names.insert(names.end(), commands.begin(), commands.end());
  return did_you_mean(first, names);
}

}  // namespace roundel
