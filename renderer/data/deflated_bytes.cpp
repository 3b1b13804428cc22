#include "renderer/data/deflated_bytes.h"

#include <libdeflate.h>
#include <tbb/task_group.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

/// Throws if this thread's work, or that of all threads, must end.
void check_not_stopped(const InputFile& file) {
  checkpoint();
  if (tbb::is_current_task_group_canceling())
    throw Error(ExitCode::kRuntimeFailure, file.path() + ": reading was stopped");
}

constexpr std::size_t kInflatePiece = std::size_t{1} << 16;
constexpr std::size_t kInflateWindow = std::size_t{1} << 15;

/// Runs zlib on a member's packed bytes.
class Inflater {
 public:
  Inflater(const InputFile& file, const ZipMember& member, std::uint64_t packed)
      : file_(file), member_(member), packed_(packed), in_(kInflatePiece) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream& stream() { return stream_; }
  /// Bytes consumed so far.
  std::uint64_t packed() const { return packed_ - stream_.avail_in; }

  /// inflate(), with Z_BUF_ERROR at the end of the packed bytes.
  int run(int flush) {
    if (stream_.avail_in == 0) {
      const auto size = static_cast<std::size_t>(
          std::min<std::uint64_t>(kInflatePiece, member_.packed_bytes - packed_));
      if (size > 0) file_.read_at(member_.offset + packed_, in_.span().first(size));
      packed_ += size;
      stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
      stream_.avail_in = static_cast<uInt>(size);
    }
    return inflate(&stream_, flush);
  }

 private:
  const InputFile& file_;
  const ZipMember& member_;
  std::uint64_t packed_;
  Buffer<std::byte> in_;
  z_stream stream_{};
};

}  // namespace

DeflatedBytes::DeflatedBytes(std::shared_ptr<const InputFile> file, ZipMember member,
                             std::uint64_t run_bytes)
    : file_(std::move(file)), member_(std::move(member)), run_bytes_(run_bytes) {
  const auto fail = [&](const char* problem) {
    file_->check_unchanged();
    throw Error(ExitCode::kInvalidScene, file_->path() + ": " + member_.name + ": " + problem);
  };
  Inflater inflater(*file_, member_, 0);
  z_stream& stream = inflater.stream();
  std::array<std::uint8_t, kInflatePiece> out;
  std::uint64_t unpacked = 0, target = 0;
  std::uint32_t checksum = 0;
  RestartPoint candidate;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    check_not_stopped(*file_);
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    status = inflater.run(Z_BLOCK);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END) fail("its packed bytes are broken or cut short");
    const std::size_t size = out.size() - stream.avail_out;
    checksum = libdeflate_crc32(checksum, out.data(), size);
    unpacked += size;
    if (unpacked > member_.bytes) break;
    // Keeps the last start of a block before each multiple of a run.
    if (unpacked > target) {
      points_.push_back(candidate);
      target += run_bytes_ * ((unpacked - 1 - target) / run_bytes_ + 1);
    }
    const bool is_block_end = (stream.data_type & 128) != 0, is_last = (stream.data_type & 64) != 0;
    if (!is_block_end || is_last) continue;
    candidate.unpacked = unpacked;
    candidate.packed = inflater.packed();
    candidate.bits = stream.data_type & 7;
    candidate.window.resize(kInflateWindow);
    auto window = static_cast<uInt>(kInflateWindow);
    inflateGetDictionary(&stream, candidate.window.data(), &window);
    candidate.window.resize(window);
  }
  if (unpacked != member_.bytes) fail("unpacks to another number of bytes than it claims");
  check_checksum(*file_, member_, checksum);
}

void DeflatedBytes::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (bytes.empty()) return;
  const auto fail = [&] {
    throw Error(ExitCode::kRuntimeFailure, file_->path() + ": has changed while it was read");
  };
  const auto point = std::upper_bound(points_.begin(), points_.end(), offset,
                                      [](std::uint64_t place, const RestartPoint& p) {
                                        return place < p.unpacked;
                                      }) -
                     1;
  Inflater inflater(*file_, member_, point->packed);
  z_stream& stream = inflater.stream();
  if (point->bits > 0) {
    std::array<std::byte, 1> first{};
    file_->read_at(member_.offset + point->packed - 1, first);
    inflatePrime(&stream, point->bits, std::to_integer<int>(first[0]) >> (8 - point->bits));
  }
  inflateSetDictionary(&stream, point->window.data(), static_cast<uInt>(point->window.size()));
  std::array<std::byte, kInflatePiece> skipped;
  for (std::uint64_t at = point->unpacked; !bytes.empty();) {
    check_not_stopped(*file_);
    const bool skips = at < offset;
    const std::span<std::byte> out =
        skips ? std::span(skipped).first(std::min<std::uint64_t>(kInflatePiece, offset - at))
              : bytes.first(std::min<std::size_t>(bytes.size(), std::size_t{1} << 24));
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = inflater.run(Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const std::size_t size = out.size() - stream.avail_out;
    at += size;
    if (!skips) bytes = bytes.subspan(size);
    if (status != Z_OK && !(status == Z_STREAM_END && bytes.empty())) fail();
  }
}

std::uint64_t DeflatedBytes::memory_bytes() const {
  return points_.size() * (sizeof(RestartPoint) + kInflateWindow);
}

}  // namespace roundel
