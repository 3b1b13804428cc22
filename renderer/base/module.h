#pragma once

namespace roundel {

/// The function `name` of a module: a shared library of ours for what few commands need, with
/// libraries of others whose loading would take milliseconds from every start. It is loaded when it
/// is first asked for and then stays. Modules lie in lib/roundel, in the folder above the program's
/// (an installed bin/roundel, a bundle) or the one above that (a build folder); those of a Python
/// package in the package's own (a wheel), two above (a build folder) or four (lib/python3).
/// Throws Error(kRuntimeFailure) where `library` is missing or broken, or where it or its folder
/// could be another user's work: it must belong to root, to this user or to the program's owner,
/// and not everybody may write to it.
void* find_module_function(const char* library, const char* name);

template <typename Function>
Function* module_function(const char* library, const char* name) {
  return reinterpret_cast<Function*>(find_module_function(library, name));
}

}  // namespace roundel

/// Before the definition of a function that a module is asked for.
#define ROUNDEL_MODULE_FUNCTION extern "C" __attribute__((visibility("default")))
