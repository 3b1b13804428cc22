#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/circles/circle_motion.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/source_memory.h"
#include "renderer/circles/view.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Produces the circles of one layer.
class LayerSource {
 public:
  virtual ~LayerSource() = default;
  LayerSource(const LayerSource&) = delete;
  LayerSource& operator=(const LayerSource&) = delete;

  /// Fills `shapes` and `paints`, both [the layer's number of circles], with the circles of a
  /// frame: space of the layer, but scene space of data; colours as written in the scene, alpha as
  /// for the shader `solid`. The paints are the same for every frame; simulated layers take an
  /// empty span and leave them out. Not called where runs() is kWhole.
  virtual void generate(std::int64_t /*frame*/, std::span<Shape> /*shapes*/,
                        std::span<Paint> /*paints*/) {}

  /// The same in the frame space of a width × height image, for layers whose centres are more
  /// precise than a Shape's, which are rounded after the view. False, with nothing done, for
  /// others.
  virtual bool generate_in_frame_space(const View& /*view*/, int /*width*/, int /*height*/,
                                       std::span<Shape> /*shapes*/, std::span<Paint> /*paints*/) {
    return false;
  }

  /// How the circles depend on the frame.
  virtual Motion motion() const { return Motion::kNone; }
  bool is_simulated() const { return motion() != Motion::kNone; }
  /// Those in frame 0, [the layer's number of circles], of layers that move; after generate() for
  /// frame 0. Called with zeros.
  virtual void write_velocities(std::span<Velocity> /*velocities*/) const {}

  /// Which circles can be made without those before them.
  enum class Runs {
    kNone,          ///< none: make_run() leaves both spans as they are
    kWithoutDepth,  ///< it leaves the depths at 0
    kWhole,
  };
  virtual Runs runs() const { return Runs::kNone; }
  /// Circles first .. first + n − 1 (n = the size of both spans) as generate() makes them. From
  /// many threads at once; starts no tasks.
  virtual void make_run(std::size_t /*first*/, std::span<Shape> /*shapes*/,
                        std::span<Paint> /*paints*/) const {}
  /// The same as generate_in_frame_space() would make them.
  virtual bool make_run_in_frame_space(const View& /*view*/, int /*width*/, int /*height*/,
                                       std::size_t /*first*/, std::span<Shape> /*shapes*/,
                                       std::span<Paint> /*paints*/) const {
    return false;
  }
  /// Of layers whose circles random_circle() makes of these alone; else null.
  virtual const RandomLaws* laws() const { return nullptr; }
  /// Of layers with data: the rows of the file that these circles of the layer are, counted from 0.
  virtual std::vector<std::uint64_t> rows_of(std::span<const std::uint64_t> /*circles*/) {
    return {};
  }
  /// Of layers with data: the centres of all circles in scene space before they are rounded.
  virtual void write_centers(std::span<ScenePoint> /*centers*/) {}
  /// Writes the centres of circles first .. first + n − 1 of an inline or random layer, in the
  /// layer's space and in binary64. Many threads may call it at once; starts no tasks.
  virtual void make_centers(std::size_t /*first*/, std::span<ScenePoint> /*centers*/) const {}
  /// So many circles of a scene are kept rather than made twice.
  virtual std::uint64_t most_in_memory() const { return 0; }

  /// Main memory beside the circles of whoever asks for them.
  virtual SourceMemory own_memory() const { return {}; }

  /// True where circles are best made many at once by all threads, with make_chunk(): make_run()
  /// takes long for each of them, and needs get_ready() before.
  virtual bool makes_chunks() const { return false; }
  virtual void get_ready() {}
  /// True where that makes all circles, of which runs are copies.
  virtual bool makes_all_first() const { return false; }
  /// What make_run_in_frame_space() makes.
  virtual void make_chunk(const View& /*view*/, int /*width*/, int /*height*/,
                          std::size_t /*first*/, std::span<Shape> /*shapes*/,
                          std::span<Paint> /*paints*/) const {}

 protected:
  LayerSource() = default;
};

/// What another source makes, with that many circles: made now, by its runs or as a whole, and
/// copied from then on; centres in binary64 are the source's. Of layers that are not simulated.
std::unique_ptr<LayerSource> make_kept_layer(std::shared_ptr<LayerSource> source, std::size_t count,
                                             bool by_runs);

/// In all of these, `alpha` is that of circles that bring none of their own.
/// Keeps a reference to `source`.
std::unique_ptr<LayerSource> make_random_layer(const RandomSource& source, std::uint32_t seed,
                                               std::uint32_t layer_index, float alpha);
/// Keeps a reference to `source`.
std::unique_ptr<LayerSource> make_inline_layer(const InlineSource& source, float alpha);
/// Keeps references to `source`, whose table must be open, to its layer, whose move and opacity are
/// in what it makes, and to the scene, whose view and image say what a pixel is.
std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, const Layer& layer,
                                             const Scene& scene);

}  // namespace roundel
