#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/lines.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// Prints an error's lines on stderr, each after "error: ".
void print_error(const Error& error);

/// Returns the warnings, each after the scene's path.
Lines with_path(const Scene& scene, const Lines& warnings);
/// Prints the first ten warnings and the number of the rest.
void print_warnings(const Lines& warnings);

/// Collects the errors of independent pieces of work and prints each as it comes.
class Problems {
 public:
  /// Runs `work`; prints and remembers an Error that it throws. Returns true without an error.
  template <typename Work>
  bool attempt(Work&& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      add(error);
      return false;
    }
  }
  bool empty() const { return codes_.empty(); }
  std::size_t count() const { return codes_.size(); }
  /// Returns kDone without errors; kInvalidScene if a scene or data file was invalid; else the
  /// first error's code.
  ExitCode exit_code() const;

 private:
  void add(const Error& error);
  std::vector<ExitCode> codes_;
};

/// Loads and checks every scene file and returns the valid ones in order; errors go to `problems`.
std::vector<Scene> load_scenes(const std::vector<std::string>& paths,
                               const SceneOverrides& overrides, Problems& problems);

}  // namespace roundel
