#include "renderer/scene/schema.h"

#include "renderer/base/text.h"
#include "renderer/compare/results_format.h"

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {

int run_schema(const Arguments& arguments) {
  CommandLine line("schema", "[FORMAT] [OPTION...]",
                   "Prints a JSON Schema on stdout, for editors and checkers: of scene files, or "
                   "of the results that comparing many pictures writes as JSON.");
  std::vector<std::string> formats;
  line.add_arguments("FORMAT", 0, 1, formats, "scene or results (default: scene)");
  bool is_of_results = false;
  line.add_check([&](CommandLine::Problems& problems) {
    const std::string format = formats.empty() ? "scene" : formats.front();
    is_of_results = format == "results";
    if (!is_of_results && format != "scene")
      problems.push_back("expected scene or results, got " + roundel::quoted(format));
  });
  line.add_note(exit_codes(ExitCode::kUsage));
  if (!line.parse(arguments)) return 0;
  print_out(is_of_results ? results_json_schema() : scene_json_schema());
  return 0;
}

}  // namespace roundel
