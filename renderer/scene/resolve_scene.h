#pragma once
#include <optional>

#include "renderer/scene/scene.h"

namespace roundel {

/// Completes the maps from their data, counts circles, then turns the view's window into centre and
/// zoom. Throws Error(kInvalidScene) with the problems of all data, one a line.
///
/// For films of data: first reads all files if domains, categories or the window need them, then
/// leaves the scene at its frame or, with `any_frame`, at the next one with valid data.
void resolve_scene(Scene& scene, bool any_frame = false);

enum class SceneUse {
  kDraw,
  kFingerprint,  ///< data only if needed
};

/// The scene at a frame, with its values of keys and files of data. Throws Error(kInvalidScene) if
/// a file is missing or differs in form from the first, as resolve_scene() does, and
/// Error(kRuntimeFailure) if a file has changed. A window of `fit: data` does not follow moving
/// layers, unless it is over each frame.
Scene scene_at(const Scene& scene, std::int64_t frame, SceneUse use = SceneUse::kDraw);

/// Completes a scene whose values of keys have been set, by the data that `before` had read.
void complete_moved(Scene& scene, const Scene& before, SceneUse use);

/// The scene for these frames only: values that are constant in them lose their keys. Throws as
/// scene_at() does.
Scene restricted_to(Scene scene, const FrameList& frames);

/// A rectangle of scene space.
struct SceneBounds {
  double left, right, bottom, top;
};
/// The view's window with its margin; nothing for a view by centre and zoom.
std::optional<SceneBounds> requested_window(const Scene& scene);
/// Bounds of all data layers' centres, as `fit: data` shows them; nothing without any.
std::optional<SceneBounds> data_bounds(const Scene& scene);

/// Number of circles in the scene up to which a layer's data are made in memory; beyond it, while
/// drawing.
std::uint64_t max_circles_in_memory(const Scene& scene, const Table& table, const DataMap& map);

/// Limit in bytes for a layer's data or circles kept until drawing. `memory`: Scene::memory.
std::uint64_t max_data_bytes(std::uint64_t memory);
inline std::uint64_t max_data_bytes(const Scene& scene) {
  return max_data_bytes(scene.memory);
}

/// Throws Error(kRuntimeFailure) if categories exceed the scene's memory, or without a limit half
/// of the machine's, since survey_rows() has kept placeholders.
void check_categories(const Scene& scene, const std::string& path, const DataFacts& facts);

/// Throws Error(kInvalidScene) with all frames that lack a data file.
void check_data_files(const Scene& scene, const FrameList& frames);
/// "no file for 3 of 240 frames: 3-4,9 (cells_0003.npz)"; empty if none is missing.
std::string missing_files(const DataFilm& film, const FrameList& frames);

}  // namespace roundel
