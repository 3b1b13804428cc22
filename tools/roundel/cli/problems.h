#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

struct CircleSample;

/// Prints an error's lines on stderr. Those about scenes and data start with their place, as
/// compilers' messages do; others with "roundel: ".
void print_error(const Error& error);

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

/// Says on stderr, as "roundel: SCENE: …", what in a valid picture, or film of so many frames,
/// hardly anybody means; nothing with --quiet. `overlaps`: those of the frame; where it has none,
/// all of its circles are made to say where they are.
void warn_of_surprises(const Scene& scene, ImageFormat format, const CircleSample& sample,
                       std::size_t frames, std::int64_t frame, std::uint64_t overlaps);

/// "SCENE: SENTENCE" for each of rounded_numbers().
std::vector<std::string> rounding_lines(const Scene& scene);
/// Says these on stderr, of many only the first ones.
void warn_of_rounding(const std::vector<std::string>& lines);

}  // namespace roundel
