#include "tools/roundel/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace roundel {
namespace {

constexpr std::size_t kHelpColumns = 80;
constexpr std::size_t kHeadingColumns = 26;

struct NamedGroup {
  Group group;
  const char* title;
};
constexpr std::array kGroupTitles = {
    NamedGroup{Group::kTask, "Task"},
    NamedGroup{Group::kPicture, "Picture"},
    NamedGroup{Group::kFilm, "Film"},
    NamedGroup{Group::kValues, "Scene values"},
    NamedGroup{Group::kTolerance, "Limits and measures"},
    NamedGroup{Group::kResults, "Results"},
    NamedGroup{Group::kMachine, "Machine"},
    NamedGroup{Group::kMessages, "Messages"},
};

/// Returns the part of an option's text that the short help shows.
std::string brief(const std::string& text) {
  return text.substr(0, text.find("; "));
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

/// Turns "0 done; 130, 143 after SIGINT" into rows: codes and their meanings.
std::string exit_code_lines(const std::string& codes) {
  std::string lines = "Exit codes:\n";
  for (std::size_t begin = 0; begin < codes.size();) {
    const std::size_t end = std::min(codes.find("; ", begin), codes.size());
    const std::string code = codes.substr(begin, end - begin);
    const std::size_t text = code.find_first_not_of("0123456789, ");
    constexpr std::size_t kCodeColumns = 12;
    const std::string name = "  " + code.substr(0, text - 1);
    lines += fmt::format("{:<{}}{}", name, kCodeColumns,
                         wrapped(code.substr(text), kCodeColumns).substr(kCodeColumns));
    begin = end + 2;
  }
  return lines;
}

}  // namespace

std::string short_help(const HelpPage& page) {
  if (page.examples.empty()) return full_help(page);
  HelpRows rows;
  if (!page.argument.empty()) rows.emplace_back(page.argument, brief(page.argument_help));
  for (const std::string& name : page.usual) {
    const auto option =
        std::find_if(page.options.begin(), page.options.end(),
                     [&](const HelpPage::Option& known) { return known.name == name; });
    if (option != page.options.end()) rows.emplace_back(option->heading, brief(option->help.text));
  }
  const std::string command = page.usage.substr(0, page.usage.find(' ', page.usage.find(' ') + 1));
  return fmt::format("Usage: {}\n{}\n{}\n{}\nfull list: {} --help\n", page.usage,
                     wrapped(first_sentence(page.text), 0), help_table(rows),
                     example_lines(page.examples), command);
}

std::string full_help(const HelpPage& page) {
  std::string text = fmt::format("Usage: {}\n\n{}", page.usage, wrapped(page.text, 0));
  if (!page.argument.empty()) text += "\n" + help_table({{page.argument, page.argument_help}});
  for (const auto& [group, title] : kGroupTitles) {
    HelpRows rows;
    for (const HelpPage::Option& option : page.options)
      if (option.help.group == group) rows.emplace_back(option.heading, option.help.text);
    if (!rows.empty()) text += fmt::format("\n{}:\n{}", title, help_table(rows));
  }
  for (const std::string& note : page.notes) text += "\n" + wrapped(note, 0);
  if (!page.examples.empty()) text += "\n" + example_lines(page.examples);
  if (!page.exit_codes.empty()) text += "\n" + exit_code_lines(page.exit_codes);
  if (!page.guide.empty())
    text += fmt::format("\nGuide: {}; scene files: docs/scenes.md (in share/doc/roundel)\n",
                        page.guide);
  return text;
}

std::string example_lines(const std::vector<std::string>& examples) {
  std::string lines = "Examples:\n";
  for (const std::string& example : examples) lines += "  " + example + "\n";
  return lines;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  const std::size_t width = kHelpColumns - indent;
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::size_t length = std::min(end, text.size());
    if (length > width) {
      const std::size_t space = text.substr(0, width + 1).rfind(' ');
      if (space != std::string_view::npos) length = space;
    }
    lines += std::string(indent, ' ');
    lines += text.substr(0, length);
    lines += '\n';
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

std::string help_table(const HelpRows& rows) {
  std::string text;
  for (const auto& [heading, help] : rows) {
    const std::string lines = wrapped(help, kHeadingColumns);
    const bool fits = heading.size() + 4 <= kHeadingColumns;
    text += "  " + heading;
    text += fits ? std::string(kHeadingColumns - 2 - heading.size(), ' ') +
                       lines.substr(kHeadingColumns)
                 : "\n" + lines;
  }
  return text;
}

}  // namespace roundel
