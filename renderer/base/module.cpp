#include "renderer/base/module.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

/// The program, or a library in another program.
std::filesystem::path file_of_code() {
  Dl_info info{};
  link_map* library = nullptr;
  const int found = dladdr1(reinterpret_cast<const void*>(&file_of_code), &info,
                            reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP);
  const bool is_library = found != 0 && library != nullptr && *library->l_name != '\0';
  std::error_code ignored;
  return std::filesystem::canonical(is_library ? library->l_name : "/proc/self/exe", ignored);
}

/// Empty if there is no such file.
std::filesystem::path path_of(const std::filesystem::path& code, const std::string& name) {
  const std::vector<int> places =
      code.extension() == ".so" ? std::vector{0, 2, 4} : std::vector{1, 2, 3};
  std::error_code ignored;
  for (const int above : places) {
    std::filesystem::path folder = code.parent_path();
    for (int i = 0; i < above; ++i) folder = folder.parent_path();
    auto path = folder / "lib/roundel" / name;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

void check_trusted(const std::filesystem::path& path, const std::filesystem::path& code) {
  struct stat program {
  }, file{};
  const bool is_known = stat(code.c_str(), &program) == 0;
  if (stat(path.c_str(), &file) != 0) return;  // loading it reports why
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::kRuntimeFailure, path.string() + ": not loaded, " + why);
  };
  const bool is_trusted =
      file.st_uid == 0 || file.st_uid == geteuid() || (is_known && file.st_uid == program.st_uid);
  if (!is_trusted)
    refuse("because another user owns it; expected root, this user or the owner of " +
           code.string());
  if ((file.st_mode & S_IWOTH) != 0)
    refuse("because everybody may write to it; type: chmod o-w " + shell_word(path.string()));
}

}  // namespace

std::string find_module(const std::string& name) {
  const std::filesystem::path code = file_of_code();
  const std::filesystem::path path = path_of(code, name);
  if (path.empty())
    throw Error(ExitCode::kRuntimeFailure,
                (code.parent_path().parent_path() / "lib/roundel" / name).string() +
                    ": no such file; install it together with this program");
  for (const auto& checked : {path.parent_path().parent_path(), path.parent_path(), path})
    check_trusted(checked, code);
  return path.string();
}

bool has_module(const std::string& name) {
  return !path_of(file_of_code(), name).empty();
}

void* find_module_function(const char* library, const char* name) {
  const std::string path = find_module(library);
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = module == nullptr ? nullptr : dlsym(module, name);
  if (function != nullptr) return function;
  throw Error(ExitCode::kRuntimeFailure, std::string("cannot load ") + dlerror());
}

}  // namespace roundel
