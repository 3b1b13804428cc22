#include "renderer/image/files.h"

#include <algorithm>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {

const char* const kSoftware = "roundel " ROUNDEL_VERSION;

std::optional<ImageFormat> known_format(const std::string& path) {
  const std::string ending =
      lower_case(path.substr(path.size() - std::min<std::size_t>(path.size(), 4)));
  if (ending == ".png") return ImageFormat::kPng;
  if (ending == ".exr") return ImageFormat::kExr;
  if (ending == ".pfm") return ImageFormat::kPfm;
  return std::nullopt;
}

ImageFormat format_of(const std::string& path) {
  if (const std::optional<ImageFormat> format = known_format(path)) return *format;
  throw Error(ExitCode::kUsage, path + ": unknown ending, expected .png, .exr or .pfm");
}

}  // namespace roundel
