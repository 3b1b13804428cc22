#pragma once
#include <string>
#include <vector>

#include "renderer/base/lines.h"

namespace roundel {

struct KnownOption {
  std::string name;     ///< "size"
  std::string heading;  ///< "--size WxH"
};

/// Returns ` (did you mean "--size WxH"?)` for an unknown option, "--width" or "-s": the option
/// that has this name in other programs, or one of a similar name; empty if there is none.
std::string guess_option(const std::string& unknown, const std::vector<KnownOption>& options);

/// Returns a guess for a command line that begins with `arguments`.front(), which is not one of
/// `commands`: `; did you mean "roundel render first.yaml -o a.png"?`, or a command of a similar
/// name; empty if nothing is close.
std::string guess_command(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& commands);

bool has_scene_ending(const std::string& name);
bool has_picture_ending(const std::string& name);

}  // namespace roundel
