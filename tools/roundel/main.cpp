#include <fmt/format.h>

#include <array>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace {

using namespace roundel;  // NOLINT: a program's own file

constexpr std::array kCommands = {
    Command{"render", "draw scenes into pictures", run_render},
    Command{"verify", "find missing, corrupt and foreign frames of a sequence", run_verify},
    Command{"validate", "check scenes and say what they need", run_validate},
    Command{"diff", "compare pictures, measure and judge their difference", run_diff, true},
    Command{"regress", "draw scenes and compare them with stored pictures", run_regress, true},
    Command{"accept", "store what regress has drawn", run_accept, true},
    Command{"report", "merge the results of several runs, and report on them", run_report, true},
    Command{"circles", "write a frame's circles as a NumPy array", run_circles},
    Command{"explain", "say how a pixel came about, or what pixels cost", run_explain},
    Command{"legend", "draw what colours and sizes of data mean", run_legend},
    Command{"info", "say what a picture, or this machine, is", run_info},
    Command{"selftest", "compare all backends and devices, bit by bit", run_selftest},
    Command{"schema", "print the JSON Schema of scene files", run_schema},
};

constexpr const char* kMemoryAdvice =
    ": fewer circles or pixels need less, and so does a smaller --memory where the command has it";

std::string program_help() {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.reserve(kCommands.size());
  for (const Command& command : kCommands) rows.emplace_back(command.name, command.summary);
  return "Usage: roundel COMMAND [ARGUMENT...]\nDraws millions of translucent circles.\n\n" +
         help_table(rows) +
         "\n\"roundel COMMAND --help\" or \"roundel help COMMAND\" says what a command takes.\n";
}

/// Prints the words that may stand in place of the last one; commands complete their own words.
int complete(const Arguments& words) {
  const bool is_help = words.size() == 2 && words.front() == "help";
  if (words.size() < 2 || is_help) {
    Lines names;
    for (const Command& command : kCommands)
      names += fmt::format("{}\t{}", command.name, command.summary);
    names += "help\tprint the help of a command";
    names += "--help";
    names += "--version";
    std::string text;  // with tabs, which lines for people have not
    for (const std::string& name : completing(names, words.empty() ? "" : words.back()))
      text += name + "\n";
    print_data(text);
    return 0;
  }
  Arguments rest(words.begin(), words.end());
  for (const Command& command : kCommands) {
    if (rest.front() != command.name) continue;
    rest.front() = kCompletionOption;
    return command.run(rest);
  }
  return 0;
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names = {"--version", "--help"};
  for (const Command& command : kCommands) {
    if (name == command.name) return command;
    names.emplace_back(command.name);
  }
  if (name == "bench")
    throw Error(
        ExitCode::kUsage,
        "\"bench\" is the program roundel-bench; build it in a clone: cmake --preset release "
        "-DROUNDEL_LAB=ON && cmake --build --preset release --target roundel-bench");
  throw Error(ExitCode::kUsage, roundel::quoted(name) + ": unknown command" +
                                    did_you_mean(name, names) + "; \"roundel --help\" lists them");
}

int run(Arguments arguments) {  // the program's name first
  if (arguments.size() < 2) {
    print_err(Lines(lines_of(program_help())) + "\n");
    throw Error(ExitCode::kUsage, "expected a command");
  }
  if (arguments.size() > 2 && arguments[1] == "help") arguments = {"", arguments[2], "--help"};
  const std::string name = arguments[1];
  const Arguments rest(arguments.begin() + 2, arguments.end());
  if (name == kCompletionOption) return complete(rest);
  if (name == "--version" || name == "-V") {
    print_version();
    return 0;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    print_out(lines_of(program_help()));
    return 0;
  }
  const Command& command = find_command(name);
  if (command.compares) set_failure_code(2);
  return command.run(rest);
}

}  // namespace

int main(int argc, char** argv) {
  return run_process([&] { return run(Arguments(argv, argv + argc)); }, kMemoryAdvice);
}
