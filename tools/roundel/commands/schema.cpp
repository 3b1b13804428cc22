#include "renderer/scene/schema.h"

#include "renderer/compare/results_format.h"

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/cli/validation_format.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {

int run_schema(const Arguments& arguments) {
  CommandLine line("schema", "[FORMAT] [OPTION...]",
                   "Prints a JSON Schema on stdout, for editors and checkers: of scene files, of "
                   "the results that comparing many pictures writes as JSON, or of what validate "
                   "--json writes.");
  std::string (*write)() = scene_json_schema;
  line.add_optional_argument("FORMAT",
                             one_of(write, {{"scene", scene_json_schema},
                                            {"results", results_json_schema},
                                            {"validation", validation_json_schema}}),
                             "scene, results or validation (default: scene)");
  line.add_note(exit_codes(ExitCode::kUsage));
  if (!line.parse(arguments)) return 0;
  print_data(write());
  return 0;
}

}  // namespace roundel
