#pragma once
/// Errors that the library throws.
#include <stdexcept>
#include <string>
#include <vector>

// `v0` is the version of the interface, a part of the linker's symbols. Programs leave it out:
// roundel::Error.
namespace roundel {
inline namespace v0 {

/// A failure. what() is a message for the user: it names the place (an option, a path,
/// FILE:LINE:COLUMN) and the expected value. Several mistakes found at once have a line each.
class Error : public std::runtime_error {
 public:
  Error(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  /// The exit code of the command `roundel` for this kind of error, 1 to 4.
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// Failed at run time and may succeed on another try: disk full, device error, out of memory.
class RenderError : public Error {
 public:
  explicit RenderError(const std::string& message) : Error(1, message) {}
};

/// An option or argument is wrong.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(2, message) {}
};

/// One mistake in a scene.
struct Problem {
  std::string path;     ///< the scene file, or the name given to its text
  int line, column;     ///< in the file, from 1; columns in bytes
  std::string key;      ///< such as "layers[0].data"; empty for the whole file
  std::string message;  ///< the mistake and the expected value
};

/// A scene, its data, or a file to compare is wrong: another try will fail, too.
class SceneError : public Error {
 public:
  SceneError(const std::string& message, std::vector<Problem> problems)
      : Error(3, message), problems_(std::move(problems)) {}
  /// Mistakes in a scene file; empty for those in data and pictures.
  const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A file cannot be written. No part of it is left.
class OutputError : public Error {
 public:
  explicit OutputError(const std::string& message) : Error(4, message) {}
};

}  // namespace v0
}  // namespace roundel
