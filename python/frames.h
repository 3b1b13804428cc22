#pragma once
#include <pybind11/numpy.h>
#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "python/pixels.h"
#include "renderer/circles/generate.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/film/frame_list.h"
#include "renderer/machine_options.h"
#include "renderer/scene/scene.h"
#include "renderer/warnings.h"

namespace roundel::python {

/// The frames of a film in order, which the export pipeline draws ahead.
class Frames {
 public:
  Frames(std::shared_ptr<const Scene> scene, FrameList frames, const MachineOptions& machine,
         SampleType type);
  /// Stops the drawing.
  ~Frames();
  /// In a process that was forked meanwhile the drawing thread is missing and its locks stay
  /// locked, so the object is leaked there.
  struct Delete {
    void operator()(Frames* frames) const;
  };
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  /// Returns the next frame; throws StopIteration after the last one, and Error for a failed one.
  pybind11::array next();

 private:
  class Sink;
  /// Runs in its own thread.
  void draw(const FrameList& frames, const MachineOptions& machine);
  void add(Buffer<std::uint8_t> bytes);
  /// Keeps warnings for next().
  void note(const Lines& warnings);

  pid_t process_;
  std::shared_ptr<const Scene> scene_;
  SampleType type_;
  SceneWarnings warnings_;  ///< for the drawing thread
  std::mutex mutex_;        ///< guards the members below
  std::condition_variable changed_;
  std::deque<Buffer<std::uint8_t>> drawn_;
  bool stops_ = false, has_ended_ = false;
  std::exception_ptr failure_;
  Lines noted_;
  std::thread thread_;
};

}  // namespace roundel::python
