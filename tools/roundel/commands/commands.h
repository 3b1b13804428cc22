#pragma once
#include "tools/roundel/cli/command_line.h"

namespace roundel {

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
  bool compares = false;  ///< ends with 2 whatever goes wrong: 1 would say that pictures differ
};

/// The commands: each takes what follows its name on the command line, and returns the exit code or
/// throws Error.
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
