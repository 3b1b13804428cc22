#include "tools/roundel/cli/sequence_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "renderer/base/error.h"
#include "tools/roundel/cli/output_path.h"

namespace roundel {
namespace {

/// The value that a name stands for. Throws Expected with all the names.
template <typename Value, std::size_t kCount>
Value named(const std::array<std::pair<const char*, Value>, kCount>& names,
            const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (text == names[i].first) return names[i].second;
    all += i == 0 ? "" : i + 1 == kCount ? " or " : ", ";
    all += names[i].first;
  }
  throw Expected{all};
}

constexpr std::array<std::pair<const char*, ProgressFormat>, 8> kProgressNames = {{
    {"auto", ProgressFormat::kAuto},
    {"none", ProgressFormat::kNone},
    {"bar", ProgressFormat::kBar},
    {"plain", ProgressFormat::kPlain},
    {"json", ProgressFormat::kJson},
    {"openjd", ProgressFormat::kOpenJd},
    {"deadline", ProgressFormat::kDeadline},
    {"blender", ProgressFormat::kBlender},
}};

constexpr std::array<std::pair<const char*, FrameFormat>, 5> kFormatNames = {{
    {"png", FrameFormat::kPng},
    {"exr", FrameFormat::kExr},
    {"pfm", FrameFormat::kPfm},
    {"rawvideo", FrameFormat::kRawVideo},
    {"y4m", FrameFormat::kY4m},
}};

constexpr std::array<std::pair<const char*, PixelFormat>, 2> kPixelNames = {{
    {"rgb24", PixelFormat::kRgb24},
    {"rgba", PixelFormat::kRgba},
}};

}  // namespace

void add_frames(CommandLine& line, std::optional<FrameList>& frames, bool& all,
                std::string* list_file) {
  line.add_value(
      "frames", "LIST",
      [&frames, &all, list_file](const std::string& value) {
        if (list_file != nullptr) *list_file = value.starts_with('@') ? value.substr(1) : "";
        all = value == "all";
        frames.reset();
        if (all) return;
        try {
          frames = parse_frames(value);
        } catch (const Error& error) {  // "expected A, got B" for this value or a part of it
          throw Rejected{error.what()};
        }
      },
      fmt::format("frames: numbers and ranges as in 1-10,15,20-30x2 (every 2nd; also 20-30:2), "
                  "from {} to {}, or @FILE with such a list, or all of the scene's animation",
                  kMinFrame, kMaxFrame));
}

void add_sequence(CommandLine& line, RenderOptions& options) {
  SequenceOptions& sequence = options.sequence;
  add_frames(line, sequence.frames, sequence.all_frames, &sequence.list_file);
  line.add_switch(
      "resume", [&sequence] { sequence.resume = true; },
      "with --frames: keep the frames that are there already, if they decode and were made from "
      "this scene and frame number, and render those that are missing or damaged; files of another "
      "scene, size, seed or program, and PFM files, which do not say, are refused, or rendered "
      "again with --overwrite");
  line.add_value(
      "shard", "I/N",
      [&sequence](const std::string& value) {
        try {
          sequence.shard = parse_shard(value);
        } catch (const Error& error) {
          throw Rejected{error.what()};
        }
      },
      "with --frames: only share I (from 1) of N; auto asks Slurm, Open MPI or, as auto/N, "
      "Kubernetes which share this is");
  line.add_switch(
      "split-frame", [&sequence] { sequence.split_frame = true; },
      "all devices, or all ranks of mpirun, work on one frame together, each on a band of it, "
      "instead of on a frame each: for few large frames; an existing FILE is refused as with "
      "--frames");
  line.add_value(
      "format", "NAME",
      [&sequence](const std::string& value) { sequence.format = named(kFormatNames, value); },
      "png, exr or pfm: a FILE must end so, or as no picture's name does; pictures in a folder get "
      "that ending; for -o - also rawvideo (pixels alone) or y4m (4:2:0, BT.709, limited range), "
      "in "
      "the order of the frames (default: that of the ending, in a folder png)");
  line.add_value(
      "pixel-format", "NAME",
      [&sequence](const std::string& value) { sequence.pixels = named(kPixelNames, value); },
      "of rawvideo: rgb24 or rgba (default: rgba for scenes with alpha, else rgb24)");
  line.add_value(
      "progress", "FORMAT",
      [&sequence](const std::string& value) { sequence.progress = named(kProgressNames, value); },
      "with --frames, on stderr: auto (bar on a terminal, else plain), none, bar, plain, json, or "
      "for farm managers openjd, deadline, blender (default: auto)");
}

std::optional<ImageFormat> asked_format(const RenderOptions& options) {
  const std::optional<FrameFormat>& format = options.sequence.format;
  if (!format || format == FrameFormat::kRawVideo || format == FrameFormat::kY4m)
    return std::nullopt;
  return image_format(*format);
}

void check_sequence(const RenderOptions& options, CommandLine::Problems& problems) {
  const SequenceOptions& sequence = options.sequence;
  const bool frames_given = sequence.frames || sequence.all_frames;
  const auto needs_frames = [&](bool given, const char* option) {
    if (given && !frames_given)
      problems.push_back(fmt::format("{}: expected --frames too", option));
  };
  needs_frames(sequence.resume, "--resume");
  needs_frames(sequence.shard.has_value(), "--shard");
  if (frames_given && options.scene.frame) {
    problems.emplace_back("--frame: expected one of --frame and --frames");
  }
  if (is_sequence(options) && options.scenes.size() > 1) {
    problems.emplace_back("--frames: expected one scene");
  }
  const bool is_video =
      sequence.format == FrameFormat::kRawVideo || sequence.format == FrameFormat::kY4m;
  if (is_video && !is_stream(options)) {
    problems.emplace_back("--format: expected -o - for rawvideo and y4m");
  }
  if (sequence.pixels != PixelFormat::kAsScene && sequence.format != FrameFormat::kRawVideo) {
    problems.emplace_back("--pixel-format: expected --format rawvideo too");
  }
  if (is_stream(options)) {
    if (!sequence.format) problems.emplace_back("--output: expected --format for standard output");
    if (sequence.resume) problems.emplace_back("--resume: expected files, not standard output");
    if (options.stats == StatsFormat::kJson) {
      problems.emplace_back("--stats: expected table, as standard output has the pictures");
    }
  }
}

}  // namespace roundel
