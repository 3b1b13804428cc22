#pragma once
#include "tools/roundel/cli/command_line.h"

namespace roundel {

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
  bool compares = false;  ///< all failures exit with 2: 1 would mean that pictures differ
};

/// Run the commands: each takes the arguments after its name, and returns the exit code or throws
/// Error.
int run_render(const Arguments& arguments);
int run_validate(const Arguments& arguments);
int run_verify(const Arguments& arguments);
int run_diff(const Arguments& arguments);
int run_regress(const Arguments& arguments);
int run_accept(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_circles(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_legend(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_selftest(const Arguments& arguments);
int run_schema(const Arguments& arguments);

}  // namespace roundel
