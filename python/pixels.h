#pragma once
#include <pybind11/numpy.h>

#include "renderer/draw_pixels.h"

namespace roundel::python {

/// As NumPy has it.
const char* name_of(SampleType type);

/// To be called before arrays are made or taken, with the GIL. pybind11 before 2.12 finds NumPy
/// while it initializes a static: a thread that comes to it meanwhile waits for that with the GIL,
/// without which it never ends.
void find_numpy();

/// An array [height, width, channels] that owns them.
pybind11::array array_of(Pixels pixels);

}  // namespace roundel::python
