#pragma once
#include <optional>

#include "renderer/scene/scene.h"

namespace roundel {

/// Reads the data of layers with a map, completes the maps and counts their circles, then turns the
/// view's window into centre and zoom. Throws Error(kInvalidScene) with the problems of all layers'
/// data, one a line.
///
/// For films of data: first reads all files if domains, categories or the window depend on them,
/// then leaves the scene at its frame. If that frame's data are invalid and `any_frame` is set,
/// takes the next valid frame.
void resolve_scene(Scene& scene, bool any_frame = false);

enum class SceneUse {
  kDraw,
  kFingerprint,  ///< reads data only if the fingerprint needs it
};

/// Returns the scene at a frame, with its values of keys and files of data. Throws
/// Error(kInvalidScene) if a file is missing or differs in form from the first, as resolve_scene()
/// does, and Error(kRuntimeFailure) if a file has changed since. A window of `fit: data` does not
/// follow moving layers, unless it is over each frame.
Scene scene_at(const Scene& scene, std::int64_t frame, SceneUse use = SceneUse::kDraw);

/// Returns the scene for these frames only: keys with the same value at all of them become
/// constants. Throws as scene_at() does.
Scene settled(Scene scene, const FrameList& frames);

/// A rectangle of scene space.
struct SceneBounds {
  double left, right, bottom, top;
};
/// Returns the view's window of a resolved scene, with its margin; nothing if the view has a centre
/// and zoom.
std::optional<SceneBounds> requested_window(const Scene& scene);
/// Returns the bounds of all data layers' centres, as `fit: data` shows them; nothing without any.
std::optional<SceneBounds> data_bounds(const Scene& scene);

/// Returns the number of circles in the scene up to which a layer's data are made in memory; beyond
/// it, while drawing.
std::uint64_t max_circles_in_memory(const Scene& scene, const Table& table, const DataMap& map);

/// Returns the limit in bytes for a layer's data, or its circles, kept until drawing. `memory`:
/// Scene::memory.
std::uint64_t max_data_bytes(std::uint64_t memory);
inline std::uint64_t max_data_bytes(const Scene& scene) {
  return max_data_bytes(scene.memory);
}

/// Throws Error(kRuntimeFailure) if the categories of `facts` exceed the scene's memory, or without
/// a limit half of the machine's; then survey_rows() has kept placeholders.
void check_categories(const Scene& scene, const std::string& path, const DataFacts& facts);

/// Throws Error(kInvalidScene) listing the frames without a data file.
void check_data_files(const Scene& scene, const FrameList& frames);
/// "no file for 3 of 240 frames: 3-4,9 (cells_0003.npz)"; empty if all files exist.
std::string missing_files(const DataFilm& film, const FrameList& frames);

}  // namespace roundel
