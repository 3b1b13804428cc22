#include "renderer/scene/scene_spec.h"

#include "renderer/compare/results_format.h"

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/validation_format.h"

namespace roundel {

int run_schema(const Arguments& arguments) {
  CommandLine line(
      "schema", "[FORMAT] [OPTION...]",
      "Prints a JSON Schema, for editors and checkers. It describes scene files, the results that "
      "\"regress\" and \"diff\" of folders write with --json, or what \"validate --json\" writes.");
  std::string (*write)() = scene_json_schema;
  line.add_optional_argument("FORMAT",
                             one_of(write, {{"scene", scene_json_schema},
                                            {"results", results_json_schema},
                                            {"validation", validation_json_schema}}),
                             "scene, results or validation; default: scene");
  line.set_examples({"roundel schema > scene.schema.json", "roundel schema results",
                     "roundel schema validation"});
  line.set_exit_codes(exit_codes(ExitCode::kUsage));
  line.set_guide("docs/scenes.md");
  if (!line.parse(arguments)) return 0;
  print_data(write());
  return 0;
}

}  // namespace roundel
