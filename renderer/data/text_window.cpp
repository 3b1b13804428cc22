#include "renderer/data/text_window.h"

#include <algorithm>
#include <cstring>

namespace roundel {
namespace {

constexpr std::uint64_t kTextPiece = std::uint64_t{1} << 18;   // stays in L2
constexpr std::uint64_t kTextBeyond = std::uint64_t{1} << 14;  // for the last line's end

}  // namespace

TextWindow::TextWindow(const InputFile& file, std::uint64_t offset, std::uint64_t expected_end,
                       Buffer<std::byte>& room)
    : file_(file), room_(room), offset_(offset), expected_end_(expected_end) {
  read_more();
}

void TextWindow::read_more() {
  const std::uint64_t at = offset_ + size_;
  const std::uint64_t expected = at < expected_end_ ? expected_end_ - at : 0;
  // Twice as much whenever a line needs more than is there.
  const std::uint64_t wanted =
      std::max<std::uint64_t>(std::min(expected + kTextBeyond, kTextPiece + kTextBeyond), size_);
  const std::uint64_t more = std::min(wanted, file_.size() - at);
  if (room_.size() < size_ + more + 1) {
    Buffer<std::byte> larger(std::max(size_ + more + 1, kTextPiece + kTextBeyond + 1));
    std::copy_n(room_.begin(), size_, larger.begin());
    room_ = std::move(larger);
  }
  file_.read_at(at, room_.span().subspan(size_, more));
  size_ += more;
  room_[size_] = std::byte{'\n'};
}

const char* TextWindow::read_on(const char* keep) {
  const auto start = static_cast<std::size_t>(keep - begin());
  std::memmove(room_.data(), room_.data() + start, size_ - start);
  offset_ += start;
  size_ -= start;
  read_more();
  return begin();
}

}  // namespace roundel
