#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "renderer/film/export_circles.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/frame_encoder.h"

namespace roundel {

using PixelsPointer = std::shared_ptr<FramePixels>;

/// `index` counts the frames in the order drawn.
template <typename Content>
struct InFlight {
  std::size_t index;
  std::int64_t frame;
  Content content;
};

struct SharedPicture {
  struct Frame {
    std::size_t index;
    std::int64_t frame;
  };
  PixelsPointer picture;  ///< null until it is drawn
  std::vector<Frame> waiting;
};

struct FrameToDraw {
  FrameCircles circles;
  std::shared_ptr<SharedPicture> shared;  ///< null if no other frame is like it
};

/// Written bytes of a frame: the encoder's, or the picture's.
struct Encoded {
  std::vector<std::uint8_t> bytes;
  PixelsPointer picture;
  std::span<const std::uint8_t> content;
};

/// State of an export's frames. Guarded by the pipeline's lock.
struct FramesInFlight {
  /// Keeps a reference to the limits.
  FramesInFlight(const ExportLimits& of_export, bool is_stream)
      : limits(of_export), in_order(is_stream) {}

  const ExportLimits& limits;
  const bool in_order;  ///< the sink is a stream

  // A generated frame is in a queue, or held by a thread:
  std::deque<InFlight<FrameToDraw>> to_draw;
  std::size_t drawing = 0;
  std::size_t waiting = 0;  ///< frames that wait for the picture of another
  std::deque<InFlight<PixelsPointer>> to_encode;
  std::size_t encoding = 0;
  std::map<std::size_t, InFlight<Encoded>> to_write;  ///< by index
  std::size_t writing = 0;

  /// Tasks of the arena, one per frame in `to_encode`. The pipeline must outlive them. If
  /// rasterizers help, the last tasks find the queue empty.
  std::size_t encode_tasks = 0;

  bool all_generated = false;  ///< no further frame comes to `to_draw`
  bool is_stopped = false;     ///< undrawn frames are left out
  /// A thread has thrown: the numbers above may be wrong, and only the end of the tasks matters.
  bool is_broken = false;

  // Indices in a stream:
  std::size_t next_to_write = 0;
  std::size_t end = static_cast<std::size_t>(-1);  ///< the first index that is left out

  std::vector<PixelsPointer> free_pictures;  ///< reused for drawing

  std::size_t count() const {
    return to_draw.size() + drawing + waiting + to_encode.size() + encoding + to_write.size() +
           writing;
  }
  bool has_free_slot() const {
    return count() < limits.frames && to_draw.size() + drawing < limits.draw + limits.ahead;
  }
  /// True if rasterizer threads must encode: no frame may be generated, and some wait for an
  /// encoder.
  bool must_help() const { return count() == limits.frames && !to_encode.empty(); }
  /// True if the other writers must help the first ones.
  bool has_backlog() const { return to_write.size() > 4; }
  bool can_write(bool first) const {
    if (first ? to_write.empty() : !has_backlog()) return false;
    const std::size_t index = to_write.begin()->first;
    return !in_order || index == next_to_write || index >= end;
  }

  bool all_drawn() const { return is_broken || (all_generated && to_draw.empty() && drawing == 0); }
  /// True if all frames are written or being written.
  bool all_written() const {
    return all_drawn() && encode_tasks == 0 && (is_broken || count() == writing);
  }
  bool all_done() const { return all_written() && (is_broken || writing == 0); }
  /// True if another thread may be waiting for any further step.
  bool is_ending() const { return is_broken || (all_generated && to_draw.empty()); }

  /// Ends a stream at a gap: later frames cannot be used.
  void end_stream_at(std::size_t index) {
    if (in_order) end = std::min(end, index);
  }
  std::vector<SharedPicture::Frame> take_waiting(SharedPicture& shared) {
    waiting -= shared.waiting.size();
    return std::exchange(shared.waiting, {});
  }
  /// Keeps the picture for reuse unless another frame needs it.
  void recycle(PixelsPointer picture) {
    if (picture && picture.use_count() == 1) free_pictures.push_back(std::move(picture));
  }
  PixelsPointer take_free_picture() {
    if (free_pictures.empty()) return nullptr;
    PixelsPointer picture = std::move(free_pictures.back());
    free_pictures.pop_back();
    return picture;
  }
};

}  // namespace roundel
