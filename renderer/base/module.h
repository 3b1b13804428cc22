#pragma once
#include <string>

namespace roundel {

/// Returns the path of a file in lib/roundel: a module, which find_module_function() loads, or a
/// helper program. lib/roundel lies in the folder above the program's (an installed bin/roundel, a
/// bundle) or the one above that (a build folder); that of a Python package lies in the package's
/// own (a wheel), two above (a build folder) or four (lib/python3). Throws Error(kRuntimeFailure)
/// if the file is missing, or if it or its folder could be another user's work: it must belong to
/// root, to this user or to the program's owner, and not everybody may write to it.
std::string find_module(const std::string& name);

/// Returns the function `name` of a module: a shared library of ours for what few commands need,
/// with libraries of others whose loading would take milliseconds from every start. The first call
/// loads it, and it stays. Throws as find_module() does, and Error(kRuntimeFailure) if `library` is
/// broken.
void* find_module_function(const char* library, const char* name);

template <typename Function>
Function* module_function(const char* library, const char* name) {
  return reinterpret_cast<Function*>(find_module_function(library, name));
}

}  // namespace roundel

/// Before the definition of a function that a module is asked for.
#define ROUNDEL_MODULE_FUNCTION extern "C" __attribute__((visibility("default")))
