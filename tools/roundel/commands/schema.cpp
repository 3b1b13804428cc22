#include "renderer/scene/schema.h"

#include "renderer/compare/results_format.h"

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {

int run_schema(const Arguments& arguments) {
  CommandLine line("schema", "[FORMAT] [OPTION...]",
                   "Prints a JSON Schema on stdout, for editors and checkers: of scene files, or "
                   "of the results that comparing many pictures writes as JSON.");
  bool is_of_results = false;
  line.add_optional_argument("FORMAT", one_of(is_of_results, {{"scene", false}, {"results", true}}),
                             "scene or results (default: scene)");
  line.add_note(exit_codes(ExitCode::kUsage));
  if (!line.parse(arguments)) return 0;
  print_data(is_of_results ? results_json_schema() : scene_json_schema());
  return 0;
}

}  // namespace roundel
