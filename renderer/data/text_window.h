#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/base/input_file.h"

namespace roundel {

/// A piece of a text file in memory, with a line feed behind it, which moves on.
class TextWindow {
 public:
  /// Reads from `offset` on, first about as far as `expected_end`, in `room`.
  TextWindow(const InputFile& file, std::uint64_t offset, std::uint64_t expected_end,
             Buffer<std::byte>& room);

  const char* begin() const { return reinterpret_cast<const char*>(room_.data()); }
  /// Of the file's bytes; a line feed stands here.
  const char* end() const { return begin() + size_; }
  bool at_end_of_file() const { return offset_ + size_ == file_.size(); }
  /// Whether more of the file is needed to know what stands at `place`.
  bool needs_more(const char* place) const { return place == end() && !at_end_of_file(); }
  /// In the file.
  std::uint64_t offset_of(const char* place) const {
    return offset_ + static_cast<std::uint64_t>(place - begin());
  }
  /// Forgets what lies before `keep` and reads more. Returns where `keep` is now.
  const char* read_on(const char* keep);

 private:
  void read_more();

  const InputFile& file_;
  Buffer<std::byte>& room_;
  std::uint64_t offset_, expected_end_;
  std::size_t size_ = 0;
};

}  // namespace roundel
