#include "renderer/scene/scene_film.h"

#include <algorithm>
#include <utility>

#include "renderer/base/memory.h"
#include "renderer/data/table.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxTables = 128;  ///< each is an open file

/// Memory and open tables of a scene.
struct SceneSize {
  std::uint64_t bytes = sizeof(Scene);
  std::size_t tables = 0;

  explicit SceneSize(const Scene& scene) {
    for (const Layer& layer : scene.layers) {
      bytes += sizeof(Layer);
      if (const auto* const circles = std::get_if<InlineSource>(&layer.source))
        bytes += circles->circles.size() * sizeof(InlineCircle);
      const auto* const data = std::get_if<DataSource>(&layer.source);
      if (data == nullptr || !data->table) continue;
      bytes += data->table->memory_bytes();
      ++tables;
    }
  }
};

}  // namespace

std::uint64_t max_film_bytes(std::uint64_t memory) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28, kShare = 8;
  return std::min(kMaxBytes, (memory > 0 ? memory : physical_memory()) / kShare);
}

Scene SceneFilm::load(std::int64_t frame, SceneUse use) const {
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(frame);
    if (kept != kept_.end() && use == SceneUse::kFingerprint) return kept->second;
    if (kept != kept_.end()) {
      Scene scene = std::move(kept->second);
      kept_.erase(kept);
      return scene;
    }
  }
  return load_(frame);
}

void SceneFilm::keep(std::int64_t frame, Scene scene) const {
  const SceneSize size(scene);
  const std::lock_guard lock(mutex_);
  if (size.bytes > bytes_left_ || open_tables_ + size.tables > kMaxTables) return;
  bytes_left_ -= size.bytes;
  open_tables_ += size.tables;
  kept_.emplace(frame, std::move(scene));
}

}  // namespace roundel
