#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>

namespace roundel::python {

// Python ends threads that ask for the GIL while the interpreter ends, in the middle of C++ that
// does not expect it. So none of them asks from then on, but the one that ends the interpreter.

/// Has Python say when it ends. Holds the GIL.
void set_up_gil();

/// Takes the GIL while it lives, where that can still be had.
class GilAcquire {
 public:
  enum class AtEnd { kWait, kGoOn };  ///< of the interpreter: for ever, as a daemon thread's lot is
  explicit GilAcquire(AtEnd at_end = AtEnd::kWait);
  ~GilAcquire();
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;
  /// False with kGoOn only.
  bool has_it() const { return has_it_; }

 private:
  bool has_it_;
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
