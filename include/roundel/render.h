#pragma once
/// Pictures of scenes, in memory and in files.
#include <roundel/picture.h>
#include <roundel/scene.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace roundel {
inline namespace v0 {

enum class Backend { kAuto, kCpu, kCuda };

/// The machine that draws. Options do not change the pixels.
struct RenderOptions {
  Backend backend = Backend::kAuto;  ///< kAuto: CUDA if it is available and faster
  std::optional<int> device = {};    ///< number of the CUDA device, from 0
  int threads = 0;                   ///< on the CPU, 0 to 1024; 0: one a core, or a quota's share
  std::optional<std::uint64_t> memory = {};  ///< limit in bytes, at least 2^20
};

/// Draws pictures, and keeps memory and devices between them. For one thread at a time. After an
/// error it is still usable.
class Renderer {
 public:
  /// Throws UsageError for a wrong option.
  explicit Renderer(const RenderOptions& options = {});
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;
  ~Renderer();

  /// Returns the backend that draws this scene: kCpu or kCuda. Throws RenderError if CUDA is
  /// requested but unavailable, UsageError for a missing device.
  Backend backend(const Scene& scene) const;

  /// Draws a frame into memory: samples [height][width][channels] of `type`, independent of the
  /// scene's bits. Consecutive frames of simulations are quick. Throws what backend() throws,
  /// UsageError and SceneError as Scene does for a frame, and RenderError.
  Picture render(const Scene& scene, std::optional<std::int64_t> frame = {},
                 Samples type = Samples::kUint8);
  /// Draws a frame into a file .png, .exr or .pfm with the bytes of the command, and makes missing
  /// folders. Throws what render() throws, UsageError for another extension, OutputError for a file
  /// that cannot be written or that the scene reads. An older file stays until the new one is
  /// complete.
  void save(const Scene& scene, const std::string& path, std::optional<std::int64_t> frame = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace roundel
