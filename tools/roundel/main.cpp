#include <spdlog/spdlog.h>

#include <array>
#include <new>

#include "renderer/base/error.h"
#include "renderer/scene/text.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/stack.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
};

constexpr std::array kCommands = {
    Command{"render", "draw scenes into pictures", run_render},
    Command{"verify", "find missing, corrupt and foreign frames of a sequence", run_verify},
    Command{"validate", "check scenes and say what they need", run_validate},
    Command{"diff", "compare pictures, measure and judge their difference", run_diff},
    Command{"regress", "draw scenes and compare them with stored pictures", run_regress},
    Command{"accept", "store what regress has drawn", run_accept},
    Command{"circles", "write a frame's circles as a NumPy array", run_circles},
    Command{"explain", "say how a pixel came about, or what pixels cost", run_explain},
    Command{"info", "say what a picture, or this machine, is", run_info},
    Command{"selftest", "compare all backends and devices, bit by bit", run_selftest},
    Command{"bench", "time drawing against what this machine can do", run_bench},
    Command{"schema", "print the JSON Schema of scene files", run_schema},
};

constexpr const char* kHint = "; \"roundel --help\" lists them";

std::string program_help() {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.reserve(kCommands.size());
  for (const Command& command : kCommands) rows.emplace_back(command.name, command.summary);
  return "Usage: roundel COMMAND [ARGUMENT...]\nDraws millions of translucent circles.\n\n" +
         help_table(rows) + "\n\"roundel COMMAND --help\" says what a command takes.\n";
}

int run_command(Arguments arguments) {
  if (arguments.empty()) {
    print_err(program_help() + "\n");
    throw Error(ExitCode::kUsage, "expected a command");
  }
  std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "--version" || name == "-V") return print_out(kVersionLine), 0;
  if (name == "help" && !arguments.empty()) return run_command({arguments.front(), "--help"});
  if (name == "help" || name == "--help" || name == "-h") return print_out(program_help()), 0;
  std::vector<std::string> names = {"--version", "--help"};
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(arguments);
    names.emplace_back(command.name);
  }
  throw Error(ExitCode::kUsage,
              roundel::quoted(name) + ": unknown command" + did_you_mean(name, names) + kHint);
}

int run_program(int argc, char** argv) {
  try {
    prepare_process();
    const int code = run_command(argc > 0 ? Arguments(argv + 1, argv + argc) : Arguments());
    finish_output();
    return code;
  } catch (const Error& error) {
    print_error(error);
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory: fewer circles or pixels, or a smaller --memory, need less");
  } catch (const std::exception& error) {
    spdlog::error("unexpected failure: {}", shortened_lines(error.what()));
  }
  return static_cast<int>(ExitCode::kRuntimeFailure);
}
}  // namespace
}  // namespace roundel

int main(int argc, char** argv) {
  return roundel::run_with_enough_stack(roundel::run_program, argc, argv);
}
