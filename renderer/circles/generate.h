#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle_stream.h"
#include "renderer/circles/source_memory.h"
#include "renderer/circles/view.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Makes the circles of any frame of a scene, in paint order. Frame f of a simulated layer is its
/// initial state after steps_at() f. Stepping on from the last frame is cheap; going back restarts
/// at frame 0. A frame's circles have the same bits whichever way it is reached.
class CircleSource {
 public:
  /// Keeps a reference to the scene.
  explicit CircleSource(const Scene& scene, CircleUse use = CircleUse::kDraw);
  /// Source for the scene at another frame. Shares the layers with the same circles, and the
  /// simulations; do not use `before` for those afterwards. The first source's scene must outlive
  /// it, too.
  CircleSource(const Scene& scene, const CircleSource& before);
  ~CircleSource();

  /// Frames before 0 have the circles of frame 0. Reuses the memory of `circles`. Colours are in
  /// the scene's blend space. Throws Error(kInvalidScene) for data with values out of range ("PATH:
  /// row 17: radius: …"), Error(kRuntimeFailure) for data that have changed since the scene was
  /// loaded.
  void generate(std::int64_t frame, Circles& circles);

  /// Generates circles as a source for kListDrawn does, although this one is for kList, and their
  /// unrounded centres in scene space.
  void generate_with_centers(std::int64_t frame, Circles& circles,
                             std::vector<ScenePoint>& centers) const;

  /// Returns a frame's circles for drawing: made on demand if all layers are cheap, else generated
  /// into `memory` (stage generate of `stats`). Frames before 0 have the circles of frame 0. The
  /// source and `memory` must outlive the result.
  CircleStream at(std::int64_t frame, Circles& memory, StageStats* stats = nullptr);
  /// True if at() does not use `memory`.
  bool is_streamed() const;
  /// Main memory besides the caller's circles.
  SourceMemory own_memory() const;

  /// True if a layer other than data keeps binary64 centres until the view has moved them.
  bool has_double_centers() const;

  /// Returns the circles as runs of random ones, in order; empty unless all are random with
  /// binary32 centres.
  std::vector<RandomRun> random_runs() const;

  /// Returns the rows of the file for these circles of a layer with data, both counted from 0;
  /// empty for other layers. Throws as generate() does.
  std::vector<std::uint64_t> rows_of(std::size_t layer, std::span<const std::uint64_t> circles);

  /// True if a layer is simulated, so that the circles depend on the frame.
  bool is_simulated() const;
  /// Returns the circles that all frames are made from if data and view stay the same. Goes back to
  /// frame 0.
  std::shared_ptr<const FilmCircles> film_circles();
  /// Moves of these to frame space, one per layer.
  std::vector<CircleMove> moves() const;

  /// Makes the circles of layers without data or simulation once and copies them afterwards, if
  /// they take at most `bytes`.
  void keep_circles(std::uint64_t bytes);

 private:
  CircleSource(const Scene& scene, const CircleSource& before, CircleUse use);

  struct State;
  std::unique_ptr<State> state_;
};

/// Circles of a film's frames, with each frame's values of keys and files of data.
class FilmSource {
 public:
  /// Keeps a reference to the scene.
  explicit FilmSource(const Scene& scene, CircleUse use = CircleUse::kDraw);

  /// A frame's circles and their source; keep it as long as a CircleStream of them.
  struct Frame {
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<CircleSource> circles;
  };
  /// Throws as scene_at() does. Afterwards the previous frame is valid only for its streams.
  Frame at(std::int64_t frame);

  /// True if the scene itself depends on the frame: has_frames().
  bool has_frames() const { return has_frames_; }
  /// Makes circles that only the view or their layer moves once, if they take at most `bytes`.
  void keep_circles(std::uint64_t bytes) { now_.circles->keep_circles(bytes); }

  /// True if recipe() supports the frame of the last at().
  bool has_recipes() const { return has_recipes_ && !now_.circles->has_double_centers(); }
  /// Returns how to make a frame's circles, the frame of the last at(), from those of the film,
  /// which are made once.
  CircleRecipe recipe(std::int64_t frame);

  /// True if the circles depend on the frame.
  bool varies() const { return has_frames_ || now_.circles->is_simulated(); }
  /// Circles of the scene's frame, before the first at().
  const CircleSource& first() const { return *now_.circles; }

 private:
  bool has_frames_;
  bool has_recipes_;  // frames differ only in moves of the film's circles
  Frame now_;
  CircleUse use_;
  std::shared_ptr<const FilmCircles> film_;  // after the first recipe()
};

}  // namespace roundel
