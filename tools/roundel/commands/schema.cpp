#include "renderer/scene/schema.h"

#include "renderer/base/text.h"
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
  std::vector<std::string> formats;
  line.add_arguments("FORMAT", 0, 1, formats, "scene, results or validation (default: scene)");
  std::string (*write)() = scene_json_schema;
  line.add_check([&](CommandLine::Problems& problems) {
    const std::string format = formats.empty() ? "scene" : formats.front();
    if (format == "results")
      write = results_json_schema;
    else if (format == "validation")
      write = validation_json_schema;
    else if (format != "scene")
      problems.push_back("expected scene, results or validation, got " + roundel::quoted(format));
  });
  line.add_note(exit_codes(ExitCode::kUsage));
  if (!line.parse(arguments)) return 0;
  print_out(write());
  return 0;
}

}  // namespace roundel
