#pragma once
#include <optional>

#include "renderer/scene/scene.h"

namespace roundel {

/// Goes through the data of layers with a map, which completes their maps and counts their
/// circles, then turns the view's window into its centre and zoom. Throws Error(kInvalidScene)
/// with the problems of all layers' data, one a line.
///
/// Films of data: goes through all files first where domains, categories or the window come from
/// all of them, and leaves the scene as it stands at its frame; or, where that frame's data cannot
/// be drawn and `any_frame` will do, at one of the next of which they can.
void resolve_scene(Scene& scene, bool any_frame = false);

enum class SceneUse {
  kDraw,
  kFingerprint,  ///< data are gone through only where the fingerprint needs it
};

/// The scene as it stands at a frame, with that frame's values of keys and files of data. Throws
/// Error(kInvalidScene) where a file is missing or not like the first, what resolve_scene() throws,
/// and Error(kRuntimeFailure) where one has changed since. Layers that move do not move a window of
/// `fit: data`, unless it is over each frame.
Scene scene_at(const Scene& scene, std::int64_t frame, SceneUse use = SceneUse::kDraw);

/// The same scene for these frames only: what has keys, but the same value at all of them, has that
/// value. Throws what scene_at() does.
Scene settled(Scene scene, const FrameList& frames);

/// A rectangle of scene space.
struct SceneBounds {
  double left, right, bottom, top;
};
/// Returns the view's window of a resolved scene, with its margin; nothing if the view has a centre
/// and zoom.
std::optional<SceneBounds> asked_window(const Scene& scene);
/// Returns the bounds of the centres of all data layers, as `fit: data` shows them; nothing without
/// any.
std::optional<SceneBounds> data_bounds(const Scene& scene);

/// Circles of a layer with data are made in memory up to so many in the scene, and above as they
/// are drawn.
std::uint64_t most_data_in_memory(const Scene& scene, const Table& table, const DataMap& map);

/// What stays in memory of a layer's data, or its circles, until they are drawn may take so many
/// bytes. `memory`: Scene::memory.
std::uint64_t most_data_bytes(std::uint64_t memory);
inline std::uint64_t most_data_bytes(const Scene& scene) {
  return most_data_bytes(scene.memory);
}

/// Throws Error(kRuntimeFailure) if `facts`' categories take more than the scene's memory, or half
/// of the machine's without a limit; survey_rows() has found only stand-ins then.
void check_categories(const Scene& scene, const std::string& path, const DataFacts& facts);

/// Throws Error(kInvalidScene) with all of these frames that lack a file of data.
void check_data_files(const Scene& scene, const FrameList& frames);
/// "no file for 3 of 240 frames: 3-4,9 (cells_0003.npz)"; empty where all are there.
std::string missing_files(const DataFilm& film, const FrameList& frames);

}  // namespace roundel
