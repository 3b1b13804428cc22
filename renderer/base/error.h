#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "renderer/base/lines.h"

namespace roundel {

/// Exit codes of the command; every Error carries one.
enum class ExitCode : int {
  kDone = 0,
  kRuntimeFailure = 1,    ///< may succeed when retried: disk full, device error, out of memory
  kUsage = 2,             ///< a command line option or argument is wrong
  kInvalidScene = 3,      ///< the scene or its data is wrong; a retry fails too
  kOutputRefused = 4,     ///< the output exists or is not writable
  kSomeFramesFailed = 5,  ///< a sequence is incomplete
};

/// Joins the lines, made printable(). Lines that exceed kLongestErrorLine, which quote input, get
/// "…" for their middle.
std::string error_text(const Lines& lines);
/// A command's prefix ("roundel: frame 12: ") keeps the line below 500 bytes.
inline constexpr std::size_t kLongestErrorLine = 450;

/// The only exception type of the library. `what()` is the whole message: it names the place
/// (file:line:column, option or path) and what was expected. Several problems found at once are one
/// Error with a line each. Long lines are shortened.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const Lines& message)
      : std::runtime_error(error_text(message)), exit_code_(exit_code) {}
  ExitCode exit_code() const noexcept { return exit_code_; }
  /// Lines of what().
  Lines lines() const;

 private:
  ExitCode exit_code_;
};

/// Returns the exception being handled; call it in a catch clause. std::bad_alloc becomes "out of
/// memory" and `advice`, other exceptions "unexpected failure"; both are kRuntimeFailure.
Error current_error(const std::string& advice = "");

/// Returns what `work` throws, as current_error() does, or nothing.
template <typename Work>
std::optional<Error> catch_error(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (...) {
    return current_error();
  }
}

}  // namespace roundel
