#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "renderer/base/lines.h"

namespace roundel {

/// Exit codes of the command.
enum class ExitCode : int {
  kDone = 0,
  kRuntimeFailure = 1,    ///< a retry may succeed: disk full, device error, out of memory
  kUsage = 2,             ///< wrong command line
  kInvalidScene = 3,      ///< wrong scene or data
  kOutputRefused = 4,     ///< the output exists or is not writable
  kSomeFramesFailed = 5,  ///< a sequence is incomplete
};

/// Joins the lines, made printable(). Cuts the middle ("…") of lines longer than kMaxErrorLineBytes
/// bytes.
std::string error_text(const Lines& lines);
/// A command's prefix ("roundel: frame 12: ") keeps the line below 500 bytes.
inline constexpr std::size_t kMaxErrorLineBytes = 450;

/// The only exception type of the library. `what()` is the whole message, a line per problem: place
/// (file:line:column, option or path) and what was expected.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const Lines& message)
      : std::runtime_error(error_text(message)), exit_code_(exit_code) {}
  ExitCode exit_code() const noexcept { return exit_code_; }
  Lines lines() const;

 private:
  ExitCode exit_code_;
};

/// Returns the current exception of a catch clause. std::bad_alloc becomes "out of memory" and
/// `advice`, other exceptions "unexpected failure", both with kRuntimeFailure.
Error current_error(const std::string& advice = "");

/// Returns what `work` throws, as current_error().
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
