#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle_stream.h"
#include "renderer/circles/source_memory.h"
#include "renderer/circles/view.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Makes the circles of any frame of a scene, in paint order. Frame f of a simulated layer is its
/// initial state after steps_at() f: stepping on is cheap, going back restarts at frame 0. The bits
/// are the same either way.
class CircleSource {
 public:
  /// Keeps a reference to the scene.
  explicit CircleSource(const Scene& scene, CircleUse use = CircleUse::kDraw);
  /// Source for the scene at another frame. Shares unchanged layers, and simulations, which
  /// `before` must not use afterwards. The first source's scene must outlive this, too.
  CircleSource(const Scene& scene, const CircleSource& before);
  ~CircleSource();

  /// Frames before 0 have the circles of frame 0. Reuses the memory of `circles`. Colours are in
  /// the blend space. Throws Error(kInvalidScene) for data out of range ("PATH: row 17: radius:
  /// …"), Error(kRuntimeFailure) for data changed since loading.
  void generate(std::int64_t frame, Circles& circles);

  /// Makes, for kList, circles as for kListDrawn, and their unrounded centres in scene space.
  void generate_with_centers(std::int64_t frame, Circles& circles,
                             std::vector<ScenePoint>& centers) const;

  /// A frame's circles for drawing, with its samples if it is blurred: on demand if all layers are
  /// cheap, else in `memory` (stage generate of `stats`). Frames before 0 have the circles of frame
  /// 0. The source and `memory` must outlive the result.
  CircleStream at(std::int64_t frame, Circles& memory, StageStats* stats = nullptr);
  /// True if at() does not need `memory`.
  bool is_streamed() const;
  /// Main memory besides the caller's circles.
  SourceMemory own_memory() const;

  /// True if the view moves centres in binary64, except in data.
  bool has_double_centers() const;

  /// The circles as runs that a device makes: random ones with binary32 centres, and held rows;
  /// empty unless all are.
  std::vector<CircleRun> device_runs() const;

  /// Rows of the file for circles of a data layer, both from 0; else empty. Throws as generate()
  /// does.
  std::vector<std::uint64_t> rows_of(std::size_t layer, std::span<const std::uint64_t> circles);

  /// True if a layer is simulated in some frame.
  bool is_simulated() const;
  /// Circles that all frames are made from, if data and view are constant. Goes back to frame 0.
  std::shared_ptr<const FilmCircles> film_circles();
  /// Moves of film_circles() to frame space, one per layer.
  std::vector<CircleMove> moves() const;

  /// Makes the circles of layers without data or simulation once, and holds the rows of data with
  /// keys, if all take at most `bytes`.
  void keep_circles(std::uint64_t bytes);

 private:
  CircleSource(const Scene& scene, const CircleSource& before, CircleUse use);
  CircleStream at_own_time(std::int64_t frame, Circles& memory, StageStats* stats);

  struct State;
  std::unique_ptr<State> state_;
};

/// Circles of a film's frames, with their values of keys and files of data.
class FilmSource {
 public:
  /// Keeps a reference to the scene.
  explicit FilmSource(const Scene& scene, CircleUse use = CircleUse::kDraw);

  /// Keep it as long as a CircleStream of its circles.
  struct Frame {
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<CircleSource> circles;
  };
  /// Throws as scene_at() does. The previous frame stays valid only for its streams.
  Frame at(std::int64_t frame);

  bool has_frames() const { return has_frames_; }
  /// As CircleSource::keep_circles().
  void keep_circles(std::uint64_t bytes) { current_.circles->keep_circles(bytes); }

  /// Whether recipe() works for the frame of the last at().
  bool has_recipes() const { return has_recipes_ && !current_.circles->has_double_centers(); }
  /// How to make the circles of the last at()'s frame from the film's, which are made once.
  CircleRecipe recipe(std::int64_t frame);
  /// The last at()'s frame, and its samples if it is blurred, by recipes; nothing if one has none.
  std::optional<CircleStream> from_recipes(std::int64_t frame);

  bool varies() const { return has_frames_ || current_.circles->is_simulated(); }
  /// Source for the scene's frame, before the first at().
  const CircleSource& first() const { return *current_.circles; }

 private:
  bool has_frames_;
  bool has_recipes_;  // frames differ only in moves of the film's circles
  Frame current_;
  std::shared_ptr<const FilmCircles> film_;  // after the first recipe()
};

}  // namespace roundel
