// JPEG and WebP files are read in modules, so that their libraries are loaded only if needed.
#include "renderer/image/photo.h"

#include <algorithm>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/module.h"
#include "renderer/base/text.h"
#include "renderer/image/color_space.h"

namespace roundel {
namespace {

#ifdef ROUNDEL_HAS_JPEG
constexpr bool kHasJpeg = true;
#else
constexpr bool kHasJpeg = false;
#endif
#ifdef ROUNDEL_HAS_WEBP
constexpr bool kHasWebp = true;
#else
constexpr bool kHasWebp = false;
#endif

DecodePhoto* decoder(const std::string& path, bool is_built, const char* format,
                     const char* library, const char* module) {
  if (is_built) return module_function<DecodePhoto>(module, kDecodePhoto);
  throw Error(ExitCode::kRuntimeFailure, path + ": this program was built without " + library +
                                             ", which reads " + format + " files");
}

}  // namespace

PhotoFormat photo_format(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.starts_with("\xff\xd8\xff")) return PhotoFormat::kJpeg;
  constexpr std::size_t kRiffHeader = 8;
  const bool is_webp = text.starts_with("RIFF") && text.size() > kRiffHeader &&
                       text.substr(kRiffHeader).starts_with("WEBP");
  return is_webp ? PhotoFormat::kWebp : PhotoFormat::kNone;
}

bool is_photo_name(const std::string& path) {
  const std::string ending = lower_case(path.substr(std::min(path.rfind('.'), path.size())));
  return ending == ".jpg" || ending == ".jpeg" || ending == ".webp";
}

PhotoPixels decode_photo(const std::string& path, std::span<const std::byte> file,
                         DecodedPart part) {
  DecodePhoto* const decode =
      photo_format(file) == PhotoFormat::kJpeg
          ? decoder(path, kHasJpeg, "JPEG", "libjpeg-turbo", "libroundel_jpeg.so")
          : decoder(path, kHasWebp, "WebP", "libwebp", "libroundel_webp.so");
  PhotoPixels photo;
  decode(path, file, part, photo);
  return photo;
}

PngInfo read_photo_info(const std::string& path) {
  const PhotoPixels photo = decode_photo(path, InputFile(path).read_all().span());
  PngInfo info;
  info.width = photo.width, info.height = photo.height;
  info.bit_depth = 8, info.channels = photo.channels;
  if (!photo.profile.empty()) info.color_space = profile_text(photo.profile);
  info.orientation = exif_orientation(photo.exif);
  return info;
}

}  // namespace roundel
