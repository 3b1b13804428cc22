#include "renderer/film/frame_sink.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/image/files.h"

namespace roundel {

void FileSink::write(std::int64_t frame, std::span<const std::uint8_t> bytes) {
  std::unique_ptr<AtomicFile> file = take_claim(frame);
  if (!file) file = std::make_unique<AtomicFile>(name(frame), rule_);
  file->write(bytes);
  const std::string folder = folder_of(frame);
  const bool is_readable = access(folder.empty() ? "." : folder.c_str(), R_OK) == 0;
  file->commit(is_readable ? Sync::kLater : Sync::kNow);  // sync() opens the folder
  const std::lock_guard lock(mutex_);
  file_systems_.add(folder);
}

void FileSink::sync(const FrameList& frames) {
  const std::lock_guard lock(mutex_);
  for (const std::int64_t frame : frames) {
    file_systems_.add(folder_of(frame));
    if (!file_name_.has_number_in_folder()) break;
  }
  file_systems_.sync();
}

std::string FileSink::folder_of(std::int64_t frame) const {
  const std::string path = name(frame);
  return path.substr(0, path.rfind('/') + 1);
}

bool FileSink::claim(std::int64_t frame) {
  try {
    std::unique_ptr<AtomicFile> file = AtomicFile::claim(name(frame));
    if (!file) return false;
    const std::lock_guard lock(mutex_);
    claims_.emplace(frame, std::move(file));
  } catch (const Error&) {  // write() will fail, too
  }
  return true;
}

void FileSink::drop_claim(std::int64_t frame) {
  take_claim(frame);
}

std::unique_ptr<AtomicFile> FileSink::take_claim(std::int64_t frame) {
  const std::lock_guard lock(mutex_);
  auto claim = claims_.extract(frame);
  return claim ? std::move(claim.mapped()) : nullptr;
}

StreamSink::StreamSink(int descriptor, std::string header)
    : descriptor_(descriptor), header_(std::move(header)) {}

std::string StreamSink::name(std::int64_t frame) const {
  return fmt::format("frame {}", frame);
}

void StreamSink::write(std::int64_t /*frame*/, std::span<const std::uint8_t> bytes) {
  const std::string header = std::exchange(header_, "");
  write_all({reinterpret_cast<const std::uint8_t*>(header.data()), header.size()});
  write_all(bytes);
}

void StreamSink::write_all(std::span<const std::uint8_t> bytes) {
  if (const int error = write_to_descriptor(descriptor_, bytes); error != 0) {
    throw Error(ExitCode::kRuntimeFailure, fmt::format("cannot write to the stream: {}",
                                                       std::generic_category().message(error)));
  }
}

}  // namespace roundel
