#include "renderer/base/frame_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

namespace roundel {
namespace {

constexpr std::size_t kMaxWidth = 99;  // two digits in %04d and {frame:04}

/// Length of the frame number's field at the start of `text`, or 0, and its minimum width.
std::size_t match_number(std::string_view text, std::size_t& width) {
  width = 1;
  if (text.starts_with('#')) {
    const std::size_t length = std::min(text.find_first_not_of('#'), text.size());
    width = std::min(length, kMaxWidth);
    return length;
  }
  if (text.starts_with("{frame}")) return 7;
  const bool is_braced = text.starts_with("{frame:");
  if (!is_braced && !text.starts_with('%')) return 0;
  const std::size_t begin = is_braced ? 7 : 1;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  // An optional zero and two digits.
  const std::size_t digits = end - begin;
  if (digits > 3 || (digits == 3 && text[begin] != '0') || (digits == 0 && is_braced)) return 0;
  if (end == text.size() || text[end] != (is_braced ? '}' : 'd')) return 0;
  std::from_chars(text.data() + begin, text.data() + end, width);
  return end + 1;
}

/// Number of equidistant frames from `begin` on.
std::size_t run_length(const FrameList& frames, std::size_t begin) {
  if (begin + 1 >= frames.size()) return 1;
  const std::int64_t step = frames[begin + 1] - frames[begin];
  std::size_t end = begin + 2;
  while (end < frames.size() && frames[end] - frames[end - 1] == step) ++end;
  return end - begin;
}

}  // namespace

FrameList run_of_frames(std::int64_t first, std::int64_t count) {
  FrameList frames(static_cast<std::size_t>(count));
  std::iota(frames.begin(), frames.end(), first);
  return frames;
}

FrameName::FrameName(const std::string& pattern) {
  std::size_t width = 1;
  for (std::size_t i = 0; i < pattern.size();) {
    if (const std::size_t length = match_number(std::string_view(pattern).substr(i), width)) {
      numbers_.push_back({std::move(tail_), width});
      tail_.clear();
      i += length;
    } else {
      tail_ += pattern[i++];
    }
  }
}

FrameName FrameName::literal(const std::string& path) {
  FrameName name("");
  name.tail_ = path;
  return name;
}

FrameName FrameName::listed(std::vector<std::string> paths) {
  auto listed = std::make_shared<Listed>();
  listed->paths = std::move(paths);
  const auto folder_of = [](std::string_view path) { return path.substr(0, path.rfind('/') + 1); };
  for (const std::string& path : listed->paths) {
    listed->frames.emplace(path, static_cast<std::int64_t>(listed->frames.size()));
    listed->has_folders |= folder_of(path) != folder_of(listed->paths.front());
  }
  FrameName name("");
  name.listed_ = std::move(listed);
  return name;
}

bool FrameName::has_number_in_folder() const {
  if (listed_) return listed_->has_folders;
  if (numbers_.empty()) return false;
  return tail_.find('/') != std::string::npos ||
         std::any_of(numbers_.begin() + 1, numbers_.end(), [](const Number& number) {
           return number.before.find('/') != std::string::npos;
         });
}

void FrameName::renumber(FrameList frames) {
  counted_ = std::make_shared<const FrameList>(std::move(frames));
}

std::string FrameName::path(std::int64_t frame) const {
  if (listed_) return listed_->paths[static_cast<std::size_t>(frame)];
  if (counted_)
    frame = std::lower_bound(counted_->begin(), counted_->end(), frame) - counted_->begin();
  std::string path;
  for (const Number& number : numbers_) {
    path += number.before + fmt::format("{:0{}}", frame, number.width);
  }
  return path + tail_;
}

std::optional<std::int64_t> FrameName::frame_of(std::string_view path) const {
  if (listed_) {
    const auto found = listed_->frames.find(path);
    return found == listed_->frames.end() ? std::nullopt : std::optional(found->second);
  }
  if (numbers_.empty() || !path.starts_with(numbers_.front().before)) return std::nullopt;
  const std::string_view rest = path.substr(numbers_.front().before.size());
  const std::size_t sign = rest.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(rest.find_first_not_of("0123456789", sign), rest.size());
  for (std::size_t length = end; length > sign; --length) {  // digits may follow the number
    std::int64_t frame = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + length, frame);
    if (error != std::errc()) continue;
    if (counted_) {
      if (frame < 0 || frame >= static_cast<std::int64_t>(counted_->size())) continue;
      frame = (*counted_)[static_cast<std::size_t>(frame)];
    }
    if (this->path(frame) == path) return frame;
  }
  return std::nullopt;
}

std::int64_t step_of(const FrameList& frames) {
  return frames.size() > 1 && run_length(frames, 0) == frames.size() ? frames[1] - frames[0] : 1;
}

FrameList frames_without(const FrameList& all, const FrameList& excluded) {
  FrameList rest;
  std::set_difference(all.begin(), all.end(), excluded.begin(), excluded.end(),
                      std::back_inserter(rest));
  return rest;
}

std::string frames_text(const FrameList& frames) {
  std::string text;
  for (std::size_t i = 0; i < frames.size();) {
    std::size_t length = run_length(frames, i);
    const std::int64_t step = length > 1 ? frames[i + 1] - frames[i] : 1;
    // Two frames with a gap are listed singly; the second may begin a longer range.
    if (length == 2 && step > 1) length = 1;
    if (!text.empty()) text += ',';
    text += std::to_string(frames[i]);
    if (length > 1) text += '-' + std::to_string(frames[i + length - 1]);
    if (length > 1 && step > 1) text += 'x' + std::to_string(step);
    i += length;
  }
  return text;
}

}  // namespace roundel
