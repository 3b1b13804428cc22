#include "renderer/base/module.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "renderer/base/error.h"

namespace roundel {
namespace {

std::filesystem::path find_module(const std::string& library) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto above = program.parent_path().parent_path();
  for (const auto& folder : {above, above.parent_path()}) {
    auto path = folder / "lib/roundel" / library;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  throw Error(ExitCode::kRuntimeFailure,
              (above / "lib/roundel" / library).string() +
                  ": no such file; it belongs to this program and must be installed with it");
}

}  // namespace

void* find_module_function(const char* library, const char* name) {
  const std::string path = find_module(library).string();
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = module == nullptr ? nullptr : dlsym(module, name);
  if (function != nullptr) return function;
  throw Error(ExitCode::kRuntimeFailure, std::string("cannot load ") + dlerror());
}

}  // namespace roundel
