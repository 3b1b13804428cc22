#pragma once
#include <pybind11/pybind11.h>

#include <chrono>
#include <string>
#include <utility>

#include "python/forks.h"
#include "python/gil.h"
#include "renderer/base/lines.h"

namespace roundel::python {

/// Turns errors of the library into exceptions of roundel._errors, and lets Ctrl-C end its work.
void set_up_errors();

/// Thrown after a Python signal handler has raised; its exception is then the thread's error.
struct Interrupted {};

/// Must be called before drawing, which starts threads.
void note_process();
/// Throws if this process was forked after note_process(): these threads are missing.
void check_process();

/// While it lives, this thread checks for signals regularly, if it is the main one.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  /// The library's checkpoint(): throws Interrupted.
  static void check();

 private:
  std::chrono::steady_clock::time_point last_check_;
  SignalWatch* outer_;
};

/// Does work that needs no Python object, while other Python threads go on.
template <typename Work>
auto without_gil(Work&& work) {
  const SignalWatch watch;
  try {
    const GilRelease release;
    const AtWork at_work;
    return std::forward<Work>(work)();
  } catch (const Interrupted&) {
    throw pybind11::error_already_set();
  }
}

/// Makes a Python warning of each line, at the caller of the package's function. Takes the GIL.
void warn(const Lines& warnings);

}  // namespace roundel::python
