#pragma once
#include <string>

namespace roundel {

/// Path of a file in lib/roundel: a module or a helper program. lib/roundel lies one folder above
/// the program's (an installed bin/roundel, a bundle), two or three (a build folder); for a Python
/// package, in its own folder (a wheel), two above (a build folder) or four (lib/python3). Throws
/// Error(kRuntimeFailure) if the file is missing or untrusted: file and folder must belong to root,
/// this user or the program's owner, and not be writable by everybody.
std::string find_module(const std::string& name);

/// True if the module exists, trusted or not.
bool has_module(const std::string& name);

/// Function `name` of a module: our shared library for rarely used formats, which would delay every
/// start by milliseconds. The first call loads it for good. Throws as find_module() does, and
/// Error(kRuntimeFailure) if `library` is broken.
void* find_module_function(const char* library, const char* name);

template <typename Function>
Function* module_function(const char* library, const char* name) {
  return reinterpret_cast<Function*>(find_module_function(library, name));
}

}  // namespace roundel

/// Precedes the definition of a module's function.
#define ROUNDEL_MODULE_FUNCTION extern "C" __attribute__((visibility("default")))
