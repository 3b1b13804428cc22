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

/// A frame and what there is of it so far. `index` counts the frames in the order drawn.
template <typename Content>
struct InFlight {
  std::size_t index;
  std::int64_t frame;
  Content content;
};

/// A picture that frames after the first one take as it is.
struct SharedPicture {
  struct Frame {
    std::size_t index;
    std::int64_t frame;
  };
  PixelsPointer picture;       ///< once it is drawn
  std::vector<Frame> waiting;  ///< for that
};

struct FrameToDraw {
  FrameCircles circles;
  std::shared_ptr<SharedPicture> shared;  ///< null where no other frame is like it
};

/// What is written of a frame: the encoder's bytes, or those of the picture itself.
struct Encoded {
  std::vector<std::uint8_t> bytes;
  PixelsPointer picture;
  std::span<const std::uint8_t> content;
};

/// Where an export's frames are, and what its threads may do. The pipeline's lock guards all of it.
struct FramesInFlight {
  /// Keeps a reference to the limits.
  FramesInFlight(const ExportLimits& of_export, bool is_stream)
      : limits(of_export), in_order(is_stream) {}

  const ExportLimits& limits;
  const bool in_order;  ///< as a stream

  // A frame that has been generated is in a queue, or in the hands of a thread:
  std::deque<InFlight<FrameToDraw>> to_draw;
  std::size_t drawing = 0;
  std::size_t waiting = 0;  ///< for the pictures of others, see SharedPicture
  std::deque<InFlight<PixelsPointer>> to_encode;
  std::size_t encoding = 0;
  std::map<std::size_t, InFlight<Encoded>> to_write;  ///< by index
  std::size_t writing = 0;

  /// Of the arena, one for each frame that came to `to_encode`, until it ends: the pipeline must
  /// not be gone before. Where rasterizers help, the last ones find nothing there.
  std::size_t encode_tasks = 0;

  bool all_generated = false;  ///< no further frame comes to `to_draw`
  bool is_stopped = false;     ///< what is not drawn yet is left out
  /// A thread has thrown: the numbers above may be wrong, and nobody waits for frames any more, but
  /// for the end of the tasks.
  bool is_broken = false;

  // Indices in a stream:
  std::size_t next_to_write = 0;
  std::size_t end = static_cast<std::size_t>(-1);  ///< the first one left out

  std::vector<PixelsPointer> free_pictures;  ///< to be drawn into again

  std::size_t count() const {
    return to_draw.size() + drawing + waiting + to_encode.size() + encoding + to_write.size() +
           writing;
  }
  /// True where another frame may be generated.
  bool has_room() const {
    return count() < limits.frames && to_draw.size() + drawing < limits.draw + limits.ahead;
  }
  /// True where those who draw must encode: no other frame is let in, and some wait for that.
  bool must_help() const { return count() == limits.frames && !to_encode.empty(); }
  /// True where the other writers must help the first ones.
  bool has_backlog() const { return to_write.size() > 4; }
  bool can_write(bool first) const {
    if (first ? to_write.empty() : !has_backlog()) return false;
    const std::size_t index = to_write.begin()->first;
    return !in_order || index == next_to_write || index >= end;
  }

  bool all_drawn() const { return is_broken || (all_generated && to_draw.empty() && drawing == 0); }
  /// True where all are written, or in the hands of a thread that writes.
  bool all_written() const {
    return all_drawn() && encode_tasks == 0 && (is_broken || count() == writing);
  }
  bool all_done() const { return all_written() && (is_broken || writing == 0); }
  /// From here on each step may be the last one that a thread waits for.
  bool is_ending() const { return is_broken || (all_generated && to_draw.empty()); }

  /// Frames behind a gap in a stream are of no use.
  void end_stream_at(std::size_t index) {
    if (in_order) end = std::min(end, index);
  }
  /// Those that have waited until now.
  std::vector<SharedPicture::Frame> take_waiting(SharedPicture& shared) {
    waiting -= shared.waiting.size();
    return std::exchange(shared.waiting, {});
  }
  /// Unless another frame needs it.
  void recycle(PixelsPointer picture) {
    if (picture && picture.use_count() == 1) free_pictures.push_back(std::move(picture));
  }
  /// Null where there is none.
  PixelsPointer take_free_picture() {
    if (free_pictures.empty()) return nullptr;
    PixelsPointer picture = std::move(free_pictures.back());
    free_pictures.pop_back();
    return picture;
  }
};

}  // namespace roundel
