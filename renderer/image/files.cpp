#include "renderer/image/files.h"

#include <string_view>

#include "renderer/base/error.h"

namespace roundel {
namespace {

bool ends_with_ignoring_case(std::string_view text, std::string_view ending) {
  if (text.size() < ending.size()) return false;
  text.remove_prefix(text.size() - ending.size());
  for (std::size_t i = 0; i < ending.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != ending[i]) return false;
  }
  return true;
}

}  // namespace

ImageFormat format_of(const std::string& path) {
  if (ends_with_ignoring_case(path, ".png")) return ImageFormat::kPng;
  if (ends_with_ignoring_case(path, ".exr")) return ImageFormat::kExr;
  if (ends_with_ignoring_case(path, ".pfm")) return ImageFormat::kPfm;
  throw Error(ExitCode::kUsage, path + ": unknown ending, expected .png, .exr or .pfm");
}

}  // namespace roundel
