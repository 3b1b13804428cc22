#include "python/frames.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "python/errors.h"
#include "renderer/base/checkpoint.h"
#include "renderer/base/cores.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/frame_encoder.h"
#include "renderer/scene/resolve_scene.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

constexpr std::size_t kMaxWaiting = 2;  ///< drawn frames that were not fetched yet

/// On the CPU one a core, each with one thread, while that many frames are small; on CUDA as many
/// as `roundel render` has on a device.
std::vector<std::unique_ptr<Rasterizer>> make_rasterizers(const Scene& scene, std::size_t frames,
                                                          const MachineOptions& machine) {
  const Backend backend = find_backend(machine).backend;
  constexpr std::size_t kOnDevice = 3;
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;
  const int threads = machine.raster.threads > 0 ? machine.raster.threads : default_threads();
  const bool is_cpu = backend == Backend::kCpu;
  const std::size_t wanted = is_cpu ? static_cast<std::size_t>(threads) : kOnDevice;
  const auto bytes =
      static_cast<std::uint64_t>(static_cast<double>(count_parts(scene)) * 2 * kBytesPerCircle +
                                 static_cast<double>(scene.image.pixels()) * 2 * kBytesPerPixel);
  const std::size_t count = frames >= 2 * wanted && bytes <= kMaxBytes ? wanted : 1;
  RasterOptions options = machine.raster;
  if (is_cpu && count > 1) options.threads = 1;
  options.memory_budget /= count;
  std::vector<std::unique_ptr<Rasterizer>> made;
  while (made.size() < count)
    made.push_back(is_cpu ? make_cpu_rasterizer(options) : make_cuda_rasterizer(options));
  return made;
}

PixelFormat pixel_format(const Scene& scene, SampleType type) {
  if (type == SampleType::kUint8)
    return scene.image.alpha ? PixelFormat::kRgba : PixelFormat::kRgb24;
  return scene.image.alpha ? PixelFormat::kRgba64Le : PixelFormat::kRgb48Le;
}

}  // namespace

class Frames::Sink final : public FrameSink {
 public:
  explicit Sink(Frames& frames) : frames_(frames) {}
  bool in_order() const override { return true; }
  std::string name(std::int64_t frame) const override { return "frame " + std::to_string(frame); }
  void write(std::int64_t /*frame*/, std::span<const std::uint8_t> bytes) override {
    Buffer<std::uint8_t> copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    frames_.add(std::move(copy));
  }

 private:
  Frames& frames_;
};

Frames::Frames(std::shared_ptr<const Scene> scene, FrameList frames, const MachineOptions& machine,
               SampleType type)
    : process_(::getpid()), scene_(std::move(scene)), type_(type) {
  check_process();
  if (type == SampleType::kFloat32)
    throw Error(ExitCode::kUsage, "dtype: expected uint8 or uint16 for frames, got \"float32\"");
  check_data_files(*scene_, frames);
  note(warnings_.about_data(*scene_));
  thread_ =
      std::thread([this, frames = std::move(frames), machine = machine] { draw(frames, machine); });
}

void Frames::Delete::operator()(Frames* frames) const {
  if (frames->process_ == ::getpid()) delete frames;
}

Frames::~Frames() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  const GilRelease release;  // releasing arrays of columns needs it
  thread_.join();
}

void Frames::draw(const FrameList& frames, const MachineOptions& machine) {
  std::exception_ptr failure;
  try {
    const AtWork at_work;
    ListedFrames source(frames);
    const FrameEncoder encoder(*scene_, {ImageFormat::kPng, VideoFormat::kRawVideo},
                               pixel_format(*scene_, type_));
    Sink sink(*this);
    ExportJob job{*scene_, source, encoder, sink,
                  make_rasterizers(*scene_, frames.size(), machine)};
    job.memory_budget = machine.raster.memory_budget / 2;
    job.on_scene = [this](auto frame, auto& scene, auto& circles) {
      note(warnings_.about_frame(frame, scene, circles));
      note(warnings_.about_data(scene));
    };
    job.goes_on = [this](const ExportCounts& /*counts*/) {
      const std::lock_guard lock(mutex_);
      return !stops_;
    };
    const ExportResult result = export_frames(std::move(job));
    if (result.error) throw Error(*result.error);
    if (!result.failed.empty())
      throw Error(result.failed.front().exit_code, result.failed.front().message);
    if (!result.written.empty())
      note(warnings_.about({*scene_, frames.front(), ImageFormat::kPng, sample_film(*scene_),
                            result.stages.overlaps, frames.size()}));
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    has_ended_ = true;
  }
  changed_.notify_all();
}

void Frames::note(const Lines& warnings) {
  const std::lock_guard lock(mutex_);
  noted_ += warnings;
}

void Frames::add(Buffer<std::uint8_t> bytes) {
  std::unique_lock lock(mutex_);
  if (const auto goes_on = [this] { return stops_ || drawn_.size() < kMaxWaiting; }; !goes_on()) {
    const AtRest at_rest;
    changed_.wait(lock, goes_on);
    lock.unlock();  // the rest may end only after a fork
  }
  if (!lock) lock.lock();
  if (!stops_) drawn_.push_back(std::move(bytes));
  lock.unlock();
  changed_.notify_all();
}

py::array Frames::next() {
  if (process_ != ::getpid())
    throw Error(
        ExitCode::kRuntimeFailure,
        "frames: this iterator belongs to the parent process; call roundel.frames() in this one");
  Pixels pixels{scene_->image.width, scene_->image.height, scene_->image.channels(), type_, {}};
  const bool has_frame = without_gil([&] {
    constexpr std::chrono::milliseconds kCheckInterval{50};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kCheckInterval,
                              [this] { return has_ended_ || !drawn_.empty(); })) {
      lock.unlock();
      checkpoint();
      lock.lock();
    }
    const Lines warnings = std::exchange(noted_, {});
    lock.unlock();
    warn(warnings);
    lock.lock();
    if (drawn_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return false;
    }
    pixels.bytes = std::move(drawn_.front());
    drawn_.pop_front();
    return true;
  });
  if (!has_frame) throw py::stop_iteration();
  changed_.notify_all();
  return array_of(std::move(pixels));
}

}  // namespace roundel::python
