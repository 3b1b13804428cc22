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

/// Produces the circles of any frame of a scene, in paint order. Frame f of a simulated layer is
/// its initial state after steps_at() f; stepping on from the frame generated last is cheap, going
/// back starts over from frame 0. The circles of a frame are the same bits however it is reached.
class CircleSource {
 public:
  /// Keeps a reference to the scene.
  explicit CircleSource(const Scene& scene, CircleUse use = CircleUse::kDraw);
  /// The same of the scene at another frame: shares the layers whose own circles are the same, and
  /// the simulations, for which `before` is not to be asked any more. The scene of the first source
  /// must outlive it, too.
  CircleSource(const Scene& scene, const CircleSource& before);
  ~CircleSource();

  /// Frames before 0 have the circles of frame 0. Reuses the memory of `circles`. Colours are in
  /// the scene's blend space. Throws Error(kInvalidScene) for data with values out of range ("PATH:
  /// row 17: radius: …"), Error(kRuntimeFailure) for data that have changed since the scene was
  /// loaded.
  void generate(std::int64_t frame, Circles& circles);

  /// generate() of a source for kList as one for kListDrawn would, and the circles' centres in
  /// scene space before they are rounded.
  void generate_with_centers(std::int64_t frame, Circles& circles,
                             std::vector<ScenePoint>& centers) const;

  /// A frame's circles as they are drawn: made where they are needed if all layers are cheap, else
  /// generated into `memory` (stage generate of `stats`). Frames before 0 have those of frame 0.
  /// The source and `memory` must outlive what is returned.
  CircleStream at(std::int64_t frame, Circles& memory, StageStats* stats = nullptr);
  /// True where at() leaves `memory` alone.
  bool is_streamed() const;
  /// Main memory that it has beside the circles of whoever asks for them.
  SourceMemory own_memory() const;

  /// True where some layer's centres are binary64 until the view has moved them, but data's.
  bool has_double_centers() const;

  /// The circles as runs of random ones, in their order; none unless all are such, and their
  /// centres binary32.
  std::vector<RandomRun> random_runs() const;

  /// Which rows of its file these circles of a layer with data are, both counted from 0; nothing
  /// for other layers. Throws what generate() does.
  std::vector<std::uint64_t> rows_of(std::size_t layer, std::span<const std::uint64_t> circles);

  /// True where the circles depend on the frame: some layer is simulated.
  bool is_simulated() const;
  /// What all frames are made from where data and view stay the same. Goes back to frame 0.
  std::shared_ptr<const FilmCircles> film_circles();
  /// Moves of these to frame space, a layer each.
  std::vector<CircleMove> moves() const;

  /// Makes the circles of layers without data or simulation once, to be copied from then on,
  /// where they take at most `bytes`.
  void keep_circles(std::uint64_t bytes);

 private:
  CircleSource(const Scene& scene, const CircleSource& before, CircleUse use);

  struct State;
  std::unique_ptr<State> state_;
};

/// The circles of a scene's frames, with each frame's values of keys and files of data.
class FilmSource {
 public:
  /// Keeps a reference to the scene.
  explicit FilmSource(const Scene& scene, CircleUse use = CircleUse::kDraw);

  /// A frame's circles, and what they come from: to be kept as long as a CircleStream of them.
  struct Frame {
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<CircleSource> circles;
  };
  /// Throws what scene_at() does. The frame before is not to be asked for any more, but for what it
  /// streams.
  Frame at(std::int64_t frame);

  /// True where the scene itself depends on the frame: has_frames().
  bool has_frames() const { return has_frames_; }
  /// Makes circles that only the view or their layer moves once, where they take at most `bytes`.
  void keep_circles(std::uint64_t bytes) { now_.circles->keep_circles(bytes); }

  /// True where recipe() has the circles of the frame of the last at().
  bool has_recipes() const { return has_recipes_ && !now_.circles->has_double_centers(); }
  /// The circles of a frame, the one of the last at(), from those of the film, which are made once.
  CircleRecipe recipe(std::int64_t frame);

  /// True where the circles depend on the frame.
  bool varies() const { return has_frames_ || now_.circles->is_simulated(); }
  /// Of the frame that the scene is at, until another is asked for.
  const CircleSource& first() const { return *now_.circles; }

 private:
  bool has_frames_;
  bool has_recipes_;  // frames differ only in moves of circles that are the film's
  Frame now_;
  CircleUse use_;
  std::shared_ptr<const FilmCircles> film_;  // once a recipe was asked for
};

}  // namespace roundel
