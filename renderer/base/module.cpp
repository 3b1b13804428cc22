#include "renderer/base/module.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "renderer/base/error.h"

namespace roundel {
namespace {

/// The file that has this code: the program, or a library in another program.
std::filesystem::path file_of_code() {
  Dl_info info{};
  link_map* library = nullptr;
  const int found = dladdr1(reinterpret_cast<const void*>(&file_of_code), &info,
                            reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP);
  const bool is_library = found != 0 && library != nullptr && *library->l_name != '\0';
  std::error_code ignored;
  return std::filesystem::canonical(is_library ? library->l_name : "/proc/self/exe", ignored);
}

/// In lib/roundel below one of the folders above: of the program's bin the first or, in a build,
/// the second; of a Python package that may be a few more.
std::filesystem::path find_module(const std::string& library) {
  const std::filesystem::path code = file_of_code();
  const int most_above = code.extension() == ".so" ? 5 : 2;
  std::error_code ignored;
  std::filesystem::path folder = code.parent_path();
  for (int above = 0; above <= most_above; ++above, folder = folder.parent_path()) {
    auto path = folder / "lib/roundel" / library;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  throw Error(ExitCode::kRuntimeFailure,
              (code.parent_path().parent_path() / "lib/roundel" / library).string() +
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
