#include "renderer/film/existing_frames.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/frame_encoder.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_film.h"

namespace roundel {

namespace fs = std::filesystem;

namespace {

struct FileHead {
  int width, height;
  std::optional<ImageMetadata> metadata;
  std::string samples = {};  ///< see FrameOrigin
};

/// Throws Error if the file is incomplete.
FileHead read_head(const std::string& path, ImageFormat format, FrameReading reading) {
  if (format == ImageFormat::kPng) {
    PngInfo info =
        reading == FrameReading::kPixels ? read_png_info(path) : read_png_checksums(path);
    return {info.width, info.height, std::move(info.metadata)};
  }
  if (format == ImageFormat::kExr) {
    ExrInfo info = read_exr_info(path);
    const std::string& channel = info.channels.front();  // "R half"
    return {info.width, info.height, std::move(info.metadata),
            channel.substr(channel.rfind(' ') + 1)};
  }
  const Framebuffer picture = read_pfm(path);
  return {picture.width, picture.height, std::nullopt};
}

/// True if an undecodable file may be a truncated or damaged frame: it begins like its format, or
/// is empty or zeros, as after a system crash. Else it is somebody else's.
bool begins_as_a_frame(const std::string& path, ImageFormat format) {
  using namespace std::string_view_literals;
  const std::string_view start = format == ImageFormat::kPng   ? "\x89PNG"sv
                                 : format == ImageFormat::kExr ? kExrStart
                                                               : "PF\n"sv;
  const std::string bytes = InputFile(path).read(start.size());
  return start.starts_with(bytes) || bytes.find_first_not_of('\0') == std::string::npos;
}

/// Removes an error's leading path.
std::string without_path(std::string_view message, const std::string& path) {
  const std::string start = path + ": ";
  return std::string(message.substr(message.starts_with(start) ? start.size() : 0));
}

/// Returns the fault of a complete file; may be empty.
std::string fault_of(const FrameOrigin& found, const FrameOrigin& expected,
                     const ExpectedOrigin& rule, const std::string& word) {
  const bool is_of_scene =
      !expected.fingerprint.empty() && found.fingerprint == expected.fingerprint;
  if (!is_of_scene) {  // a fingerprint covers size and seed
    if (found.width != expected.width || found.height != expected.height) {
      return fmt::format("{}x{}, {} {}x{}", found.width, found.height, word, expected.width,
                         expected.height);
    }
    if (found.fingerprint.empty()) return "";
    if (!rule.seeds_vary && found.seed != expected.seed) {
      return fmt::format("of seed {}, {} {}", found.seed, word, expected.seed);
    }
  }
  if (found.software != expected.software) {
    return fmt::format("of another {}: by {}, {} {}",
                       is_of_scene || rule.fingerprints_vary ? "program" : "scene or program",
                       found.software, word, expected.software);
  }
  if (!rule.samples.empty() && found.samples != rule.samples)
    return fmt::format("of {} values, {} {}", found.samples, word, rule.samples);
  if (is_of_scene || rule.fingerprints_vary) return "";
  return "of another scene" + (rule.example.empty() ? "" : " than " + rule.example);
}

/// True also for a dangling link.
bool name_exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// With its last slash; empty for a bare name.
std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// In ascending order.
FrameList listed_names(const FrameName& name, const std::string& folder, std::error_code& error) {
  FrameList frames;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error))
    if (const auto frame = name.frame_of(folder + entry->path().filename().string()))
      frames.push_back(*frame);
  std::sort(frames.begin(), frames.end());
  return frames;
}

std::string short_frames_text(const FrameList& frames) {
  constexpr std::size_t kMaxFrameListText = 60;
  std::string text = frames_text(frames);
  if (text.size() > kMaxFrameListText)
    text = text.substr(0, text.rfind(',', kMaxFrameListText)) + ",...";
  return text;
}

}  // namespace

ExpectedOrigin origin_of(const Scene& scene) {
  const auto origin = [](const Scene& one) {
    return FrameOrigin{fingerprint(one), kSoftware, one.seed, one.image.width, one.image.height};
  };
  ExpectedOrigin expected{origin(scene)};
  if (scene.film) expected.scene_frame = scene.film->scene_frame;
  if (has_frames(scene))
    expected.of_frame = [&scene, origin](std::int64_t frame) {
      return origin(scene_at(scene, frame, SceneUse::kFingerprint));
    };
  return expected;
}

FrameList film_numbers(const FrameList& frames, const Scene* scene, bool renumbers) {
  const bool has_animation = scene != nullptr && scene->animation;
  if (frames.size() == 1 && !has_animation) return {};
  if (renumbers) return run_of_frames(0, static_cast<std::int64_t>(frames.size()));
  if (!has_animation) return frames;
  const FrameList all = run_of_frames(scene->animation->start, scene->animation->frames);
  FrameList numbers;
  std::set_union(frames.begin(), frames.end(), all.begin(), all.end(), std::back_inserter(numbers));
  return numbers;
}

bool has_neighbor(const std::string& pattern, const FrameList& numbers) {
  const FrameName name(pattern);
  if (numbers.empty() || !name.has_number() || name.has_number_in_folder()) return false;
  const std::int64_t step = step_of(numbers);
  return name_exists(name.path(numbers.front() - step)) ||
         name_exists(name.path(numbers.back() + step));
}

std::string leftovers_line(const std::string& pattern, const FrameList& numbers) {
  const FrameName name(pattern);
  if (numbers.empty() || !name.has_number() || name.has_number_in_folder()) return "";
  const std::string folder = folder_of(name.path(numbers.front()));
  std::error_code error;  // a writable folder may be unreadable
  const FrameList more = frames_without(listed_names(name, folder, error), numbers);
  if (more.empty()) return "";
  return fmt::format("{} {} {}: {}", counted(more.size(), "more file"),
                     more.size() == 1 ? "matches" : "match", pattern, short_frames_text(more));
}

FrameList taken_names(const FrameName& name, const FrameList& frames) {
  FrameList taken;
  const auto ask_for_each = [&] {
    std::copy_if(frames.begin(), frames.end(), std::back_inserter(taken),
                 [&](std::int64_t frame) { return name_exists(name.path(frame)); });
    return taken;
  };
  constexpr std::size_t kMaxSingleChecks = 1000;
  if (frames.size() <= kMaxSingleChecks || name.has_number_in_folder()) return ask_for_each();
  // Checking a million names would take seconds, most of all for missing files.
  const std::string folder = folder_of(name.path(frames.front()));
  std::error_code error;
  const FrameList listed = listed_names(name, folder, error);
  std::set_intersection(frames.begin(), frames.end(), listed.begin(), listed.end(),
                        std::back_inserter(taken));
  if (error == std::errc::permission_denied && taken.empty()) return ask_for_each();
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("{}: cannot list the folder: {}", folder, error.message()));
  }
  return taken;
}

ExistingFrames::ExistingFrames(const FrameName& name, const FrameList& frames, ImageFormat format,
                               FrameReading reading, WorkCount& progress)
    : name_(name), frames_(frames), files_(frames.size()) {
  const FrameList taken = taken_names(name, frames);
  progress.total = taken.size();
  tbb::parallel_for(std::size_t{0}, taken.size(), [&](std::size_t i) {
    const auto place = std::lower_bound(frames.begin(), frames.end(), taken[i]);
    files_[static_cast<std::size_t>(place - frames.begin())] =
        examine(name.path(taken[i]), format, reading);
    ++progress.done;
  });
}

FrameFile ExistingFrames::examine(const std::string& path, ImageFormat format,
                                  FrameReading reading) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) return {};
  if (type == fs::file_type::symlink) return found(FrameState::kLink, "a link, not a file");
  if (type != fs::file_type::regular && type != fs::file_type::none) {
    return found(FrameState::kCorrupt, "not a regular file");
  }
  try {
    FileHead head = read_head(path, format, reading);
    const bool says_origin = head.metadata && !head.metadata->fingerprint.empty();
    if (!says_origin && format != ImageFormat::kPfm)
      return found(FrameState::kForeign, "not Roundel's");
    const ImageMetadata metadata = std::move(head.metadata).value_or(ImageMetadata());
    const std::lock_guard lock(mutex_);
    const FrameOrigin& origin = *origins_
                                     .insert({metadata.fingerprint, metadata.software,
                                              metadata.seed, head.width, head.height, head.samples})
                                     .first;
    return {FrameState::kSound, false, metadata.frame, &origin};
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

FrameFile ExistingFrames::found(FrameState state, const std::string& fault) {
  const std::lock_guard lock(mutex_);
  return {state, false, 0, nullptr, &*faults_.insert(fault).first};
}

ExpectedOrigin ExistingFrames::most_common_origin() const {
  std::set<std::string> fingerprints;
  std::set<std::uint32_t> seeds;
  for (const FrameOrigin& origin : origins_) {
    fingerprints.insert(origin.fingerprint);
    seeds.insert(origin.seed);
  }
  const auto all = static_cast<std::size_t>(
      std::count_if(files_.begin(), files_.end(),
                    [](const FrameFile& file) { return file.state == FrameState::kSound; }));
  constexpr std::size_t kMaxMixedScenes = 2;  // scenes with mixed-up frames
  const auto vary = [&](std::size_t count) { return count > kMaxMixedScenes && 2 * count > all; };
  ExpectedOrigin expected;
  expected.seeds_vary = vary(seeds.size());
  expected.fingerprints_vary = vary(fingerprints.size()) || (all > 1 && fingerprints.size() == all);
  struct Group {
    std::size_t first, count = 0;
  };
  std::map<FrameOrigin, Group> groups;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].state != FrameState::kSound) continue;
    FrameOrigin origin = *files_[i].origin;
    if (expected.fingerprints_vary) origin.fingerprint.clear();
    if (expected.seeds_vary) origin.seed = 0;
    origin.samples.clear();
    ++groups.try_emplace(std::move(origin), Group{i}).first->second.count;
  }
  const auto is_less = [](const auto& a, const auto& b) {
    return std::pair(a.second.count, b.second.first) < std::pair(b.second.count, a.second.first);
  };
  const auto most = std::max_element(groups.begin(), groups.end(), is_less);
  if (most == groups.end()) return expected;
  expected.all = most->first;
  const auto as_many = std::count_if(groups.begin(), groups.end(), [&](const auto& group) {
    return group.second.count == most->second.count;
  });
  if (as_many > 1) expected.example = name_.path(frames_[most->second.first]);
  return expected;
}

void ExistingFrames::check_origins(const ExpectedOrigin& origin, const char* word,
                                   bool accepts_pfm) {
  tbb::parallel_for(std::size_t{0}, files_.size(), [&](std::size_t i) {
    FrameFile& file = files_[i];
    if (file.state != FrameState::kSound) return;
    std::string fault = fault_of(i, origin, word);
    if (fault.empty() && file.origin->fingerprint.empty() && !accepts_pfm)
      fault = "PFM, which does not record its scene";
    if (fault.empty()) return;
    file.state = FrameState::kForeign;
    file.fault = found(file.state, fault).fault;
  });
}

/// Returns a complete file's fault, if any, and notes whether it is misnamed.
std::string ExistingFrames::fault_of(std::size_t i, const ExpectedOrigin& expected,
                                     const char* word) {
  FrameFile& file = files_[i];
  const bool has_origin = !file.origin->fingerprint.empty();
  const bool is_other =  // misnamed
      !expected.scene_frame && std::binary_search(frames_.begin(), frames_.end(), file.number);
  const std::int64_t frame = is_other ? file.number : frames_[i];
  const std::string than = expected.example.empty() ? word : "unlike " + expected.example + " with";
  std::string fault;
  try {
    const bool is_own = expected.of_frame && has_origin;
    const FrameOrigin expected_origin = is_own ? expected.of_frame(frame) : expected.all;
    fault = roundel::fault_of(*file.origin, expected_origin, expected, than);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInvalidScene) throw;
    const std::string_view reason = error.what();  // error in the frame's own data
    fault = fmt::format("of data that cannot be drawn ({})", reason.substr(0, reason.find('\n')));
  }
  file.is_misnamed =
      fault.empty() && has_origin && file.number != expected.scene_frame.value_or(frames_[i]);
  return file.is_misnamed ? "misnamed" : fault;
}

/// Text after a file's path; mostly empty.
std::string ExistingFrames::detail(std::size_t i) const {
  return files_[i].is_misnamed ? fmt::format(" is frame {}", files_[i].number) : "";
}

std::vector<std::string> ExistingFrames::fault_lines(bool (*is_listed)(const FrameFile&)) const {
  std::vector<std::pair<std::size_t, FrameList>> groups;  // by the first file with that fault
  std::map<const std::string*, std::size_t> group_of;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].fault == nullptr || !is_listed(files_[i])) continue;
    const auto [group, is_new] = group_of.emplace(files_[i].fault, groups.size());
    if (is_new) groups.emplace_back(i, FrameList());
    groups[group->second].second.push_back(frames_[i]);
  }
  std::vector<std::string> lines;
  for (const auto& [first, group] : groups) {
    const std::string& fault = *files_[first].fault;
    const std::string example = name_.path(frames_[first]) + detail(first);
    if (group.size() == 1) {
      lines.push_back(fmt::format("1 frame is {}: {}", fault, example));
    } else {
      lines.push_back(fmt::format("{} frames are {}: {}{}", group.size(), fault,
                                  short_frames_text(group),
                                  detail(first).empty() ? "" : "; " + example));
    }
  }
  return lines;
}

}  // namespace roundel
