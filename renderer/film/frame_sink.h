#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "renderer/base/atomic_file.h"
#include "renderer/base/frame_name.h"

namespace roundel {

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  FrameSink(const FrameSink&) = delete;
  FrameSink& operator=(const FrameSink&) = delete;

  /// True if frames must come one by one, in order; else several threads write them in any order.
  virtual bool in_order() const = 0;
  virtual std::string name(std::int64_t frame) const = 0;
  /// Throws Error; the frame is then missing.
  virtual void write(std::int64_t frame, std::span<const std::uint8_t> bytes) = 0;
  /// Waits until these frames are on the disk. Throws Error.
  virtual void sync(const FrameList& /*frames*/) {}

 protected:
  FrameSink() = default;
};

/// Writes a file per frame, under a temporary name, then renames it. A link under a frame's name is
/// replaced; a pipe or a device there is an error.
class FileSink final : public FrameSink {
 public:
  /// `rule`: for a frame's name that already exists.
  explicit FileSink(FrameName file_name, OverwriteRule rule = OverwriteRule::kReplace)
      : file_name_(std::move(file_name)), rule_(rule) {}
  bool in_order() const override { return false; }
  std::string name(std::int64_t frame) const override { return file_name_.path(frame); }
  void write(std::int64_t frame, std::span<const std::uint8_t> bytes) override;

  /// Creates the frame's temporary file, see AtomicFile::claim(). False while another process holds
  /// it. Leaves other errors to write().
  bool claim(std::int64_t frame);
  /// Removes the temporary file of a frame that is not made here.
  void drop_claim(std::int64_t frame);
  void sync(const FrameList& frames) override;

 private:
  std::string folder_of(std::int64_t frame) const;
  /// Returns null if the frame has no claim.
  std::unique_ptr<AtomicFile> take_claim(std::int64_t frame);

  FrameName file_name_;
  OverwriteRule rule_;
  std::mutex mutex_;  ///< guards all below
  std::map<std::int64_t, std::unique_ptr<AtomicFile>> claims_;
  FileSystems file_systems_;
};

/// Writes all frames, one after the other, to a file descriptor.
class StreamSink final : public FrameSink {
 public:
  StreamSink(int descriptor, std::string header);
  bool in_order() const override { return true; }
  std::string name(std::int64_t frame) const override;
  void write(std::int64_t frame, std::span<const std::uint8_t> bytes) override;

 private:
  void write_all(std::span<const std::uint8_t> bytes);

  int descriptor_;
  std::string header_;
};

}  // namespace roundel
