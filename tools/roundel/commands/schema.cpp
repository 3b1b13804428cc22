#include "renderer/scene/schema.h"

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {

int run_schema(const Arguments& arguments) {
  CommandLine line("schema", "[OPTION...]",
                   "Prints the JSON Schema of scene files on stdout, for editors and checkers.");
  line.add_note(kExitCodes);
  if (!line.parse(arguments)) return 0;
  std::string schema = scene_json_schema();
  if (!schema.ends_with('\n')) schema += '\n';
  print_out(schema);
  return 0;
}

}  // namespace roundel
