// EXR files are read and written in a module, so that OpenEXR is loaded only if needed.
#include "renderer/base/module.h"
#include "renderer/image/exr_module.h"

namespace roundel {
namespace {

const ExrFunctions& exr_functions() {
  static const ExrFunctions functions =
      module_function<ExrFunctions()>("libroundel_exr.so", "roundel_exr_functions")();
  return functions;
}

}  // namespace

std::vector<std::uint8_t> encode_exr(const Framebuffer& framebuffer, bool alpha, ExrValues values,
                                     const ImageMetadata& metadata, RowDiscarder* discarder,
                                     ExrStorage storage) {
  const auto row_done = [discarder](int row) {
    if (discarder != nullptr) discarder->row_done(row);
  };
  return exr_functions().encode_exr(framebuffer, alpha, values, metadata, storage, row_done);
}

ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file, DecodedPart part) {
  return exr_functions().decode_exr(path, file, part);
}

ExrInfo read_exr_info(const std::string& path) {
  return exr_functions().read_exr_info(path);
}

}  // namespace roundel
