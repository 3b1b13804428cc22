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

/// The machine that draws. No option changes a bit of any picture.
struct RenderOptions {
  Backend backend = Backend::kAuto;  ///< kAuto: CUDA where there is a device and it is faster
  std::optional<int> device = {};    ///< number of the CUDA device, from 0
  int threads = 0;                   ///< on the CPU, 0 to 1024; 0: one a core, or a quota's share
  std::optional<std::uint64_t> memory = {};  ///< limit in bytes, at least 2^20
};

/// Draws pictures, and keeps memory and devices between them. To be used by one thread at a time.
/// After an error it can be used on.
class Renderer {
 public:
  /// Throws UsageError for a wrong option.
  explicit Renderer(const RenderOptions& options = {});
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;
  ~Renderer();

  /// The backend that draws this scene: kCpu or kCuda. Throws RenderError where CUDA is asked for
  /// and cannot be had, UsageError for a device that is not there.
  Backend backend(const Scene& scene) const;

  /// Draws a frame into memory: samples [height][width][channels] of `type`, whatever the scene's
  /// bits. Frames of simulations that follow each other are quick. Throws what backend() throws,
  /// UsageError and SceneError as Scene does for a frame, and RenderError.
  Picture render(const Scene& scene, std::optional<std::int64_t> frame = {},
                 Samples type = Samples::kUint8);
  /// Draws a frame into a file .png, .exr or .pfm, byte for byte as the command does, and makes
  /// missing folders. Throws what render() throws, UsageError for another ending, OutputError for a
  /// file that cannot be written or that the scene reads. Until the file is whole, an older one of
  /// its name stays.
  void save(const Scene& scene, const std::string& path, std::optional<std::int64_t> frame = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace roundel
