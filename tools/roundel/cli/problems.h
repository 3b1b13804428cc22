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
/// Prints the first ten warnings, and how many more there are.
void print_warnings(const Lines& warnings);

/// Collects the errors of several independent pieces of work, printing each as it comes.
class Problems {
 public:
  /// Runs `work`; an Error it throws is printed and remembered. True if there was none.
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
  /// kDone without errors; kInvalidScene if any scene or data file was invalid; else the first
  /// one's.
  ExitCode exit_code() const;

 private:
  void add(const Error& error);
  std::vector<ExitCode> codes_;
};

/// Loads and checks every scene file; what is wrong with any of them goes to `problems`. Returns
/// those in order.
std::vector<Scene> load_scenes(const std::vector<std::string>& paths,
                               const SceneOverrides& overrides, Problems& problems);

}  // namespace roundel
