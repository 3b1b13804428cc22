#include "renderer/image/exr_module.h"

#include "renderer/base/module.h"

ROUNDEL_MODULE_FUNCTION roundel::ExrFunctions roundel_exr_functions() {
  using namespace roundel::openexr;
  return {encode_exr, decode_exr, read_exr_info};
}
