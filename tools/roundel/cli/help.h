#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roundel {

/// Groups of options in a command's --help, in this order. Empty groups are left out.
enum class Group { kTask, kPicture, kFilm, kValues, kTolerance, kResults, kMachine, kMessages };

/// An option's group and help text. The text ends without a full stop; the short help shows the
/// part before its first "; ", at most 54 characters.
struct HelpText {
  Group group;
  std::string text;
};

struct HelpPage {
  struct Option {
    std::string name;     ///< "output"
    std::string heading;  ///< "-o, --output FILE"
    HelpText help;
  };

  std::string usage;     ///< "roundel render SCENE... [OPTION...]"
  std::string text;      ///< description; the short help shows the first sentence
  std::string argument;  ///< "SCENE..."; may be empty
  std::string argument_help;
  std::vector<Option> options;
  std::vector<std::string> usual;  ///< options that the short help shows
  std::vector<std::string> examples;
  std::vector<std::string> notes;
  std::string exit_codes;  ///< "0 done; 2 wrong command line; 130, 143 after SIGINT"
  std::string guide;       ///< page of docs; may be empty
};

/// Returns the help of -h, one screen: at most 24 lines of 80 columns. For a page without examples
/// it is full_help().
std::string short_help(const HelpPage& page);
/// Returns the help of --help: all options by group, examples, exit codes and the page of docs.
std::string full_help(const HelpPage& page);

/// Returns a part of a help: "Examples:" and the command lines below.
std::string example_lines(const std::vector<std::string>& examples);

using HelpRows = std::vector<std::pair<std::string, std::string>>;
/// Returns the lines of the help: headings on the left, texts wrapped on the right.
std::string help_table(const HelpRows& rows);
/// Breaks a text into lines of at most 80 columns, each after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace roundel
