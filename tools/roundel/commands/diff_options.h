#pragma once
#include <optional>
#include <string>

#include "renderer/compare/picture_difference.h"
#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/options.h"
#include "tools/roundel/cli/run_options.h"
#include "tools/roundel/commands/explain_difference.h"

namespace roundel {

enum class DiffImageKind { kPixels, kFlip };

struct DiffOptions {
  std::string a, b;
  Tolerance tolerance;
  Measures measures;
  std::optional<std::string> diff_image;  ///< PNG file
  DiffImageKind diff_image_kind = DiffImageKind::kPixels;
  RunFiles files;                    ///< of two folders; its json is not used
  std::optional<std::string> json;   ///< file, or "-" for stdout, then instead of the line
  ExplainDifferenceOptions explain;  ///< of scenes, instead of comparing pictures
  int threads = 0;                   ///< 0: one a core
  Verbosity verbosity = Verbosity::kNormal;
};

/// The options that say what may differ and what is measured; `roundel diff` and others that judge
/// pictures take them.
void add_tolerance(CommandLine& line, Tolerance& tolerance, Measures& measures);

/// As the other commands' parse().
bool parse(const Arguments& arguments, DiffOptions& options);

}  // namespace roundel
