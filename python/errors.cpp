#include "python/errors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/lines.h"
#include "renderer/format/format_errors.h"

namespace py = pybind11;

namespace roundel::python {
namespace {

thread_local SignalWatch* watch_of_thread = nullptr;

void raise(const Error& error, const py::list& problems) {
  // A traceback prints these lines into a log, in which a CI reads commands.
  std::vector<std::string> lines;
  for (const std::string& line : error.lines()) lines.push_back(printed_line(line));
  const py::object exception =
      py::module_::import("roundel._errors")
          .attr("exception")(static_cast<int>(error.exit_code()),
                             fmt::format("{}", fmt::join(lines, "\n")), problems);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

void translate(std::exception_ptr thrown) {  // NOLINT: as pybind11 calls it
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InvalidScene& error) {
    py::list problems;
    for (const FormatProblem& problem : error.problems())
      problems.append(py::make_tuple(error.file(), problem.place.line, problem.place.column,
                                     problem.key_path, printed_line(problem.message)));
    raise(error, problems);
  } catch (const Error& error) {
    raise(error, py::list());
  }
}

}  // namespace

void set_up_errors() {
  py::register_exception_translator(&translate);
  host_checkpoint = &SignalWatch::check;
}

void warn(const Lines& warnings) {
  if (warnings.empty()) return;
  constexpr py::ssize_t kCaller = 2;
  const GilAcquire acquire;
  const py::object category = py::module_::import("roundel._errors").attr("RoundelWarning");
  for (const std::string& warning : warnings)
    if (PyErr_WarnEx(category.ptr(), printed_line(warning).c_str(), kCaller) != 0)
      throw Interrupted{};
}

namespace {
std::atomic<pid_t> drawing_process{0};
}

void note_process() {
  pid_t none = 0;
  drawing_process.compare_exchange_strong(none, ::getpid());
}

void check_process() {
  note_process();
  if (drawing_process == ::getpid()) return;
  throw Error(ExitCode::kRuntimeFailure,
              "frames: this process is a fork of one that has drawn; start processes with "
              "multiprocessing.get_context(\"spawn\")");
}

SignalWatch::SignalWatch()
    : last_check_(std::chrono::steady_clock::now()), outer_(std::exchange(watch_of_thread, this)) {}

SignalWatch::~SignalWatch() {
  watch_of_thread = outer_;
}

void SignalWatch::check() {
  SignalWatch* const watch = watch_of_thread;
  if (watch == nullptr) return;  // one of the library's threads
  // Only the main thread has signals. Others would wait for the GIL while a fork waits for them.
  if (::gettid() != ::getpid()) return;
  constexpr std::chrono::milliseconds kCheckInterval{50};
  const auto now = std::chrono::steady_clock::now();
  if (now - watch->last_check_ < kCheckInterval) return;
  watch->last_check_ = now;
  const GilAcquire acquire;
  if (PyErr_CheckSignals() != 0) throw Interrupted{};
}

}  // namespace roundel::python
