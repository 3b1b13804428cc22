#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "renderer/base/lines.h"

namespace roundel {

/// Exit codes of the command; every Error carries the one it ends with.
enum class ExitCode : int {
  kDone = 0,
  kRuntimeFailure = 1,    ///< may succeed when tried again: disk full, device error, out of memory
  kUsage = 2,             ///< a command line option or argument is wrong
  kInvalidScene = 3,      ///< the scene or its data is wrong; trying again will not help
  kOutputRefused = 4,     ///< the output exists or is not writable
  kSomeFramesFailed = 5,  ///< a sequence was left incomplete
};

/// The lines, printable() and joined, each of at most kLongestErrorLine bytes: of longer ones,
/// which quote somebody's words or names, the middle is "…".
std::string error_text(const Lines& lines);
/// What a command puts before a line ("roundel: frame 12: ") keeps it below 500.
inline constexpr std::size_t kLongestErrorLine = 450;

/// The one exception type of the library. `what()` is the whole message for the user: it names the
/// place (file:line:column, option or path) and what was expected. Several problems found at once
/// are one Error with one problem a line, made of Lines. Long lines are shortened.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const Lines& message)
      : std::runtime_error(error_text(message)), exit_code_(exit_code) {}
  ExitCode exit_code() const noexcept { return exit_code_; }
  /// The lines of what().
  Lines lines() const;

 private:
  ExitCode exit_code_;
};

/// In a catch clause: what was caught. Memory that could not be had is "out of memory" and
/// `advice`, other exceptions are unexpected failures; both are kRuntimeFailure.
Error current_error(const std::string& advice = "");

/// What `work` throws, the same way.
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
