#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>

namespace roundel::python {

// When the interpreter ends, Python kills threads that wait for the GIL, in the middle of C++ code.
// So from then on only the thread that ends the interpreter takes it.

/// Registers for the interpreter's end. Needs the GIL.
void set_up_gil();

/// Holds the GIL while it lives, if it is still available.
class GilAcquire {
 public:
  enum class AtEnd { kWait, kGoOn };  ///< at the interpreter's end: for ever, as daemon threads do
  explicit GilAcquire(AtEnd at_end = AtEnd::kWait);
  ~GilAcquire();
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;
  /// Returns false with kGoOn only.
  bool holds_gil() const { return holds_gil_; }

 private:
  bool holds_gil_;
  PyGILState_STATE state_{};
};

/// Gives the GIL to other threads while it lives.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace roundel::python
