#pragma once
#include <pybind11/numpy.h>

#include "renderer/draw_pixels.h"

namespace roundel::python {

/// Returns NumPy's name.
const char* name_of(SampleType type);

/// Must be called with the GIL before arrays are made or taken. pybind11 before 2.12 loads NumPy
/// while it initializes a static: a second thread would wait for that with the GIL, a deadlock.
void find_numpy();

/// Returns an array [height, width, channels] that owns them.
pybind11::array array_of(Pixels pixels);

}  // namespace roundel::python
