#include "renderer/sequence/existing_frames.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/frame_encoder.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {
namespace {

/// Reads size and metadata. Throws Error.
void decode_frame(const std::string& path, ImageFormat format, FrameFile& file) {
  if (format == ImageFormat::kPng) {
    PngInfo info = read_png_info(path);
    file.width = info.width, file.height = info.height;
    file.metadata = std::move(info.metadata);
  } else if (format == ImageFormat::kExr) {
    ExrInfo info = read_exr_info(path);
    file.width = info.width, file.height = info.height;
    file.metadata = std::move(info.metadata);
  } else {
    const Framebuffer picture = read_pfm(path);
    file.width = picture.width, file.height = picture.height;
  }
}

/// Whether a file that does not decode may be a frame that was cut off or lost bytes: it begins as
/// its format does, or is empty or zeros, as after a crash of the machine. Else it is somebody's.
bool begins_as_a_frame(const std::string& path, ImageFormat format) {
  using namespace std::string_view_literals;
  const std::string_view start = format == ImageFormat::kPng   ? "\x89PNG"sv
                                 : format == ImageFormat::kExr ? "\x76\x2f\x31\x01"sv
                                                               : "PF\n"sv;
  const std::string bytes = InputFile(path).read(start.size());
  return start.starts_with(bytes) || bytes.find_first_not_of('\0') == std::string::npos;
}

/// An error's text without the path that it begins with.
std::string without_path(std::string_view message, const std::string& path) {
  const std::string start = path + ": ";
  return std::string(message.substr(message.starts_with(start) ? start.size() : 0));
}

/// What is wrong with a file that decodes; empty: nothing.
std::string fault_of(const FrameFile& file, const FrameOrigin& origin,
                     const std::string& fingerprint, const char* word) {
  if (!fingerprint.empty() && file.metadata && file.metadata->fingerprint == fingerprint) {
    return "";
  }
  if (file.width != origin.width || file.height != origin.height) {
    return fmt::format("{}x{}, {} {}x{}", file.width, file.height, word, origin.width,
                       origin.height);
  }
  if (!file.metadata) return "";
  if (file.metadata->seed != origin.seed) {
    return fmt::format("of seed {}, {} {}", file.metadata->seed, word, origin.seed);
  }
  if (file.metadata->software != origin.software) {
    return fmt::format("of another scene or version: by {}, {} {}", file.metadata->software, word,
                       origin.software);
  }
  return "of another scene";
}

/// The list, cut where it becomes too long to be read.
std::string short_frames_text(const FrameList& frames) {
  constexpr std::size_t kMost = 60;
  std::string text = frames_text(frames);
  if (text.size() > kMost) text = text.substr(0, text.rfind(',', kMost)) + ",...";
  return text;
}

}  // namespace

FrameFile examine_frame(const std::string& path, ImageFormat format) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  FrameFile file;
  const auto found = [&file](FrameState state, std::string fault) {
    file.state = state;
    file.fault = std::move(fault);
    return file;
  };
  if (type == fs::file_type::not_found) return file;
  if (type == fs::file_type::symlink) return found(FrameState::kLink, "a link, no file of its own");
  if (type != fs::file_type::regular && type != fs::file_type::none) {
    return found(FrameState::kCorrupt, "not a regular file");
  }
  try {
    decode_frame(path, format, file);
    if (file.metadata || format == ImageFormat::kPfm) return found(FrameState::kSound, "");
    return found(FrameState::kForeign, "not Roundel's");
  } catch (const Error& e) {
    const std::string reason = without_path(e.what(), path);
    if (e.exit_code() == ExitCode::kRuntimeFailure) {
      return found(FrameState::kUnreadable, fmt::format("unreadable ({})", reason));
    }
    return begins_as_a_frame(path, format)
               ? found(FrameState::kCorrupt, fmt::format("corrupt ({})", reason))
               : found(FrameState::kForeign, "not Roundel's");
  }
}

std::vector<FrameFile> examine_frames(const FrameName& name, const FrameList& frames,
                                      ImageFormat format) {
  std::vector<FrameFile> files(frames.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, frames.size()),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end(); ++i) {
                        files[i] = examine_frame(name.path(frames[i]), format);
                      }
                    });
  return files;
}

FrameOrigin origin_of(const Scene& scene) {
  FrameOrigin origin{fingerprint(scene), {}, kSoftware, scene.seed, scene.image.width,
                     scene.image.height};
  if (is_data_film(scene))
    origin.fingerprint_of = [&scene](std::int64_t frame) { return fingerprint_at(scene, frame); };
  return origin;
}

FrameOrigin most_common_origin(const std::vector<FrameFile>& files) {
  // By fingerprint and, for PFM files, size.
  std::map<std::tuple<std::string, int, int>, std::pair<std::size_t, const FrameFile*>> counts;
  for (const FrameFile& file : files) {
    if (file.state != FrameState::kSound) continue;
    auto& [count, example] =
        counts[{file.metadata ? file.metadata->fingerprint : "", file.width, file.height}];
    ++count;
    example = &file;
  }
  const auto most = std::max_element(
      counts.begin(), counts.end(),
      [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (most == counts.end()) return {};
  const FrameFile& file = *most->second.second;
  const ImageMetadata metadata = file.metadata.value_or(ImageMetadata());
  FrameOrigin origin{metadata.fingerprint, {},         metadata.software,
                     metadata.seed,        file.width, file.height};
  std::size_t all = 0;
  for (const auto& [of, count] : counts) all += count.first;
  constexpr std::size_t kScenes = 2;  // of which frames may have been mixed up
  if (counts.size() > kScenes && 2 * counts.size() > all) {
    std::map<std::int64_t, std::string> own;
    for (const FrameFile& sound : files)
      if (sound.metadata) own.emplace(sound.metadata->frame, sound.metadata->fingerprint);
    origin.fingerprint_of = [own](std::int64_t frame) {
      const auto found = own.find(frame);
      return found == own.end() ? "" : found->second;
    };
  }
  return origin;
}

void judge_frames(std::vector<FrameFile>& files, const FrameList& frames, const FrameOrigin& origin,
                  const char* word) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    FrameFile& file = files[i];
    if (file.state != FrameState::kSound) continue;
    std::string fingerprint = origin.fingerprint;
    if (origin.fingerprint_of && file.metadata) {
      const std::int64_t said = file.metadata->frame;  // of a misnamed one
      const bool is_asked = std::binary_search(frames.begin(), frames.end(), said);
      fingerprint = origin.fingerprint_of(is_asked ? said : frames[i]);
    }
    file.fault = fault_of(file, origin, fingerprint, word);
    if (file.fault.empty() && file.metadata && file.metadata->frame != frames[i]) {
      file.fault = "misnamed";
      file.detail = fmt::format(" is frame {}", file.metadata->frame);
    }
    if (!file.fault.empty()) file.state = FrameState::kForeign;
  }
}

std::vector<std::string> fault_lines(const FrameName& name, const FrameList& frames,
                                     const std::vector<FrameFile>& files,
                                     bool (*is_listed)(const FrameFile&)) {
  std::vector<std::pair<std::size_t, FrameList>> groups;  // by the first file with that fault
  std::map<std::string, std::size_t> group_of;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].fault.empty() || !is_listed(files[i])) continue;
    const auto [group, is_new] = group_of.emplace(files[i].fault, groups.size());
    if (is_new) groups.emplace_back(i, FrameList());
    groups[group->second].second.push_back(frames[i]);
  }
  std::vector<std::string> lines;
  for (const auto& [first, group] : groups) {
    const FrameFile& file = files[first];
    const std::string example = name.path(frames[first]) + file.detail;
    if (group.size() == 1) {
      lines.push_back(fmt::format("1 frame is {}: {}", file.fault, example));
    } else {
      lines.push_back(fmt::format("{} frames are {}: {}{}", group.size(), file.fault,
                                  short_frames_text(group),
                                  file.detail.empty() ? "" : "; " + example));
    }
  }
  return lines;
}

}  // namespace roundel
