#include "renderer/sequence/existing_frames.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <filesystem>
#include <optional>

#include "renderer/base/error.h"
#include "renderer/image/files.h"

namespace roundel {
namespace {

std::optional<ImageMetadata> read_metadata(const std::string& path, ImageFormat format) {
  if (format == ImageFormat::kPng) return read_png_info(path).metadata;
  if (format == ImageFormat::kExr) return read_exr_metadata(path);
  read_pfm(path);
  return std::nullopt;
}

}  // namespace

FrameFile examine_frame(const std::string& path, std::int64_t frame) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return {};
  try {
    const ImageFormat format = format_of(path);
    const std::optional<ImageMetadata> metadata = read_metadata(path, format);
    if (format == ImageFormat::kPfm) return {FrameState::kSound, "", ""};
    if (!metadata) return {FrameState::kForeign, "", path + ": does not say which frame it is"};
    if (metadata->frame != frame) {
      return {FrameState::kForeign, metadata->fingerprint,
              fmt::format("{}: is frame {}", path, metadata->frame)};
    }
    return {FrameState::kSound, metadata->fingerprint, ""};
  } catch (const Error& e) {
    return {FrameState::kCorrupt, "", e.what()};
  }
}

std::vector<FrameFile> examine_frames(const FrameName& name, const FrameList& frames) {
  std::vector<FrameFile> files(frames.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, frames.size()),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end(); ++i) {
                        files[i] = examine_frame(name.path(frames[i]), frames[i]);
                      }
                    });
  return files;
}

}  // namespace roundel
