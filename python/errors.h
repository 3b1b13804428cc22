#pragma once
#include <pybind11/pybind11.h>

#include <chrono>
#include <string>
#include <utility>

#include "python/forks.h"
#include "python/gil.h"
#include "renderer/base/lines.h"

namespace roundel::python {

/// Errors of the library become exceptions of roundel._errors, and Ctrl-C ends what is at work.
void set_up_errors();

/// Thrown where a Python signal handler has raised what then is the thread's error.
struct Interrupted {};

/// To be called before anything is drawn, which starts threads.
void note_process();
/// Throws where this process was forked after that: it has none of these threads.
void check_process();

/// While it lives, this thread looks for signals every now and then, if it is the main one.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  /// The library's checkpoint(): throws Interrupted.
  static void look();

 private:
  std::chrono::steady_clock::time_point last_look_;
  SignalWatch* outer_;
};

/// Does work for which no Python object is needed, while other Python threads go on.
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
